import { adviceParts } from '../../cluster/advice/advice-parts.js';
import type { Diagnosis, Named } from '../../cluster/diagnosis/diagnosis.js';
import { textWithoutSecrets } from '../../kernel/secrets/secret-texts.js';
import { LONGEST_ROW_TEXT, type RowCause } from './rows.js';

const LONGEST_NAME = 1_000;
const MOST_NAMES = 8;

/** Most characters of a status message that are read for a row. A message may be long. */
const READ = 4 * LONGEST_ROW_TEXT;

/** Returns a text without secrets, cut to the length of a row's text, with a sign if it was cut. */
export function rowText(text: string): string {
  const shown = textWithoutSecrets(text.slice(0, READ));
  return shown.length <= LONGEST_ROW_TEXT ? shown : `${shown.slice(0, LONGEST_ROW_TEXT - 1)}…`;
}

/** A reason of a status, as `NotItsTurn`, in words. */
export const reasonInWords = (reason: string): string => reason.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

/**
 * Returns the cause of an unhealthy object for its row. Returns undefined for a healthy one. `names`:
 * distinguishes equal causes, if the object itself has the cause.
 */
export function rowCause(found: Diagnosis, own: Named, names: readonly string[]): RowCause | undefined {
  if (found.standing === 'well') return undefined;
  const { root } = found;
  const [first = '', ...causes] = found.because;
  // The first sentence of a cause elsewhere only leads there, unless it says that the object there failed.
  const says = root === undefined || causes.length === 0 || FAILED_THERE.test(first) ? found.because : causes;
  const isElsewhere = root !== undefined && root.kind !== own.kind && !OF_PACKAGE.has(root.kind);
  const rootName = root && (root.namespace ? `${root.namespace}/${root.name}` : root.name);
  return {
    code: found.code,
    kind: root?.kind ?? own.kind,
    names: (isElsewhere && rootName !== undefined ? [rootName] : names)
      .filter((name) => name !== '')
      .slice(0, MOST_NAMES)
      .map((name) => name.slice(0, LONGEST_NAME)),
    text: rowText(withSubject(says.join(' '), root ?? own)),
    ...todoOf(found),
  };
}

/**
 * Returns the first advice with prose about an object that needs a user. The page of the object has its
 * command.
 */
function todoOf({ standing, todo }: Diagnosis): Readonly<{ todo?: string }> {
  if (standing !== 'failed' && standing !== 'blocked') return {};
  const text = todo.map((one) => adviceParts(one).text).find((one) => one !== '');
  return text === undefined ? {} : { todo: rowText(text) };
}

/**
 * Adds the subject to a text. Next to its object a text may begin with "It"; a list of causes has no object
 * next to it.
 */
function withSubject(text: string, { kind, namespace, name }: Named): string {
  const subject = OF_PACKAGE.has(kind) ? `The ${kind}` : `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
  return text.replace(FAILED_THERE, 'It').replace(/^It(?= )/, () => subject);
}

const FAILED_THERE = /^Its InstallPlan \S+(?= failed\.)/;

/**
 * Kinds with names that differ from cluster to cluster, or hold a version. The package represents the cause.
 */
const OF_PACKAGE: ReadonlySet<string> = new Set(['InstallPlan', 'ClusterServiceVersion', 'Subscription']);
