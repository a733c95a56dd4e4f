/** A context of a kubeconfig, or why it cannot be used. */
export type ContextReading<A> = Readonly<{ context: string } & ({ access: A } | { problem: string })>;

/** The last reading of one file, or the reason why it could not be read. `notes`: skipped entries. */
export type FileReading<A> = Readonly<
  { file: string } & ({ contexts: readonly ContextReading<A>[]; notes?: readonly string[] } | { problem: string })
>;

/** A cluster under the hub's name for it. */
type NamedAccess<A> = Readonly<{ cluster: string; file: string; context: string; access: A }>;

/**
 * The clusters that hold now. `problems` has a line for each file and context that cannot be used.
 */
export type HeldReading<A> = Readonly<{
  members: readonly NamedAccess<A>[];
  problems: readonly Readonly<{ file: string; text: string }>[];
}>;

/** Longer names, or names with other characters, would break lines of logs and keys of stores. */
const CLUSTER_NAME = /^[A-Za-z0-9]([A-Za-z0-9._:@/-]{0,251}[A-Za-z0-9])?$/;

/** True if a cluster can have this name. */
export const isClusterName = (name: string): boolean => CLUSTER_NAME.test(name);

export const CLUSTER_NAME_RULE = 'take letters, digits and . _ : @ / - between them, at most 253';

const LABEL_VALUE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/** True if Kubernetes accepts the name as the value of a label. */
export const isLabelValue = (name: string): boolean => LABEL_VALUE.test(name);

/**
 * Returns the valid accesses after the files were read again. A file that is unreadable now, and a context
 * that is broken now, keep their accesses: no cluster joins or leaves because of half a file. A further
 * context of the same name gets `-2`, `-3` …
 */
export function heldReading<A>(before: HeldReading<A>, files: readonly FileReading<A>[]): HeldReading<A> {
  const names = new Set<string>();
  const lines = files.flatMap((reading) => linesOf(reading, before));
  return {
    members: lines.flatMap(({ file, context, access }) =>
      access === undefined ? [] : [{ cluster: freeName(context, names), file, context, access }],
    ),
    problems: lines.flatMap(({ file, problem }) => (problem === undefined ? [] : [{ file, text: problem }])),
  };
}

/** The result for one context, or for a file as a whole: a valid access, a problem, or both. */
type Line<A> = Readonly<{ file: string; context: string; access?: A; problem?: string }>;

function linesOf<A>(reading: FileReading<A>, before: HeldReading<A>): readonly Line<A>[] {
  const { file } = reading;
  const known = before.members.filter((member) => member.file === file);
  if ('contexts' in reading) {
    const lines = reading.contexts.map((one) => {
      const held = known.find(({ context }) => context === one.context);
      return lineOf(file, one, held?.access);
    });
    return [...lines, ...(reading.notes ?? []).map((problem) => ({ file, context: '', problem }))];
  }
  const stays = known.length === 0 ? '' : '; its clusters do not change';
  return [{ file, context: '', problem: `${reading.problem}${stays}` }, ...known];
}

function lineOf<A>(file: string, reading: ContextReading<A>, held: A | undefined): Line<A> {
  const { context } = reading;
  const problem = isClusterName(context)
    ? ('problem' in reading && reading.problem) || undefined
    : badName(file, context);
  if (problem === undefined) return { file, context, ...('access' in reading && { access: reading.access }) };
  if (held === undefined) return { file, context, problem };
  return { file, context, access: held, problem: `${problem}; the cluster does not change` };
}

const badName = (file: string, context: string): string =>
  `context ${JSON.stringify(context.slice(0, 80))} of ${file} cannot be the name of a cluster: ${CLUSTER_NAME_RULE}`;

function freeName(context: string, taken: Set<string>): string {
  let name = context;
  for (let n = 2; taken.has(name); n += 1) name = `${context}-${n}`;
  taken.add(name);
  return name;
}
