import { z } from 'zod';
import { PACKAGE_MANIFEST_API } from '#core/classic/package-manifest/package-manifest';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { readForeign } from '#core/kernel/verdict/read-foreign';
import { fetchReason } from '#platform/outbound/fetch-reason';
import { TOKEN_ADVICE } from '../../../hub/ask-hub.js';
import { withToken } from '../../../hub/hub-token.js';
import { ageText } from '../../../output/age-text.js';
import { jsonText } from '../../../output/data-format.js';
import { unknownFormat } from '../../../output/output-option.js';
import { type Columns, table } from '../../../output/table.js';
import { ExitCode, type Io } from '../../../terminal/io.js';

export type PackagesQuestion = Readonly<{
  /** The address at which the hub serves its API, without a closing slash. */
  hub: string;
  /** Sent to the hub. */
  token?: string | undefined;
  cluster: string;
  namespace?: string | undefined;
  /** The name of the only requested package. */
  name?: string | undefined;
  output: string;
}>;

const PackageItem = KubernetesObject.and(
  z.looseObject({
    status: z.looseObject({
      catalogSource: z.string(),
      catalogSourceDisplayName: z.string(),
      defaultChannel: z.string(),
      channels: z.array(z.looseObject({ name: z.string(), currentCSV: z.string() })),
    }),
  }),
);
type PackageItem = z.infer<typeof PackageItem>;
const PackageList = z.looseObject({ items: z.array(PackageItem) });
const Refusal = z.looseObject({ kind: z.literal('Status'), message: z.string() });

const FORMATS = ['table', 'wide', 'json', 'yaml', 'name'];
const ANSWER_WITHIN_MS = 60_000;
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * Shows the packages that can be installed in a cluster, as `kubectl get packagemanifests` does under OLM,
 * from the hub.
 */
export async function showHubPackages(io: Io, question: PackagesQuestion): Promise<void> {
  const { output } = question;
  if (!FORMATS.includes(output)) {
    throw unknownFormat(output, FORMATS);
  }
  const answer = await ask(question);
  if ('failed' in answer) {
    io.err(`error: ${answer.failed}\n`);
    return io.exit(answer.exit);
  }
  const read = readForeign(PackageList, parsed(answer.text));
  if ('problem' in read) {
    io.err(`error: the answer of the hub is not a list of packages: ${read.problem}\n`);
    return io.exit(ExitCode.remoteFailed);
  }
  const list = read.value;
  if (question.name !== undefined && list.items.length === 0) {
    io.err(`package "${question.name}" not found\n`);
    return io.exit(ExitCode.no);
  }
  io.out(await shown(list, question, io.columns));
  io.exit(ExitCode.done);
}

async function shown(
  list: z.infer<typeof PackageList>,
  { output, namespace }: PackagesQuestion,
  width: number | undefined,
): Promise<string> {
  if (output === 'json') return jsonText(list);
  if (output === 'yaml') return (await import('#core/catalog/write/go-yaml-text')).goYaml(list);
  if (output === 'name') return [...new Set(list.items.map(nameOf))].map((name) => `${name}\n`).join('');
  const now = new Date();
  const own: Columns<PackageItem> = [
    ['NAME', nameOf],
    ['CATALOG', ({ status }) => status.catalogSourceDisplayName || status.catalogSource],
    ['AGE', ({ metadata }) => ageText(metadata.creationTimestamp, now)],
  ];
  const where: Columns<PackageItem> = [['NAMESPACE', ({ metadata }) => metadata.namespace ?? ''], ...own];
  return table(
    list.items,
    [...(namespace === undefined ? where : own), ...(output === 'wide' ? more : [])],
    output === 'wide' ? undefined : width,
  );
}

const nameOf = ({ metadata }: PackageItem): string => metadata.name ?? '';
const more: Columns<PackageItem> = [
  ['DEFAULT CHANNEL', ({ status }) => status.defaultChannel],
  ['CSV', ({ status }) => status.channels.find(({ name }) => name === status.defaultChannel)?.currentCSV ?? ''],
];

type Answer = Readonly<{ text: string } | { failed: string; exit: ExitCode }>;

async function ask(question: PackagesQuestion): Promise<Answer> {
  const url = urlOf(question);
  try {
    const response = await fetch(url, { ...withToken(question.token), signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const text = await boundedText(response, url);
    if (response.ok) return { text };
    const refusal = Refusal.safeParse(parsed(text));
    const said = refusal.success ? refusal.data.message : `it answers ${response.status}`;
    const because = response.status === 401 ? `${said}: ${TOKEN_ADVICE}` : said;
    // The hub refuses only an unknown cluster in this form; an unknown package is an empty list.
    const exit = response.status === 404 && refusal.success ? ExitCode.badInput : ExitCode.remoteFailed;
    return { failed: `hub ${question.hub}: ${because}`, exit };
  } catch (error) {
    const failed = `hub ${question.hub} does not answer (${fetchReason(error)}); name another hub with --hub`;
    return { failed, exit: ExitCode.remoteFailed };
  }
}

function urlOf({ hub, cluster, namespace, name }: PackagesQuestion): string {
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const only = name === undefined ? '' : `?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  return `${hub}/clusters/${encodeURIComponent(cluster)}/apis/${PACKAGE_MANIFEST_API.apiVersion}${scope}/packagemanifests${only}`;
}

async function boundedText(response: Response, url: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > MAX_BYTES) throw new RangeError(`${url} answers with more than ${MAX_BYTES / 1024 / 1024} MiB`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
