import { dirname, isAbsolute, join, resolve } from 'node:path';
import { loadAll } from 'js-yaml';
import { z } from 'zod';
import { PROXY_SCHEMES, proxyAddress } from '../../outbound/route.js';
import { conflictIn } from './access-conflicts.js';
import { ClusterConfigError } from './cluster-config.error.js';
import { unusableExec } from './exec-config.js';
import { serverUrl } from './server-url.js';

const text = z.string().min(1);
const optional = z.string().nullish();

const KubeconfigCluster = z.looseObject({
  server: text,
  'certificate-authority': optional,
  'insecure-skip-tls-verify': z.boolean().nullish(),
  'proxy-url': optional,
  'tls-server-name': optional,
});

const KubeconfigUser = z.looseObject({
  'client-certificate': optional,
  'client-key': optional,
  token: optional,
  tokenFile: optional,
  username: optional,
  password: optional,
  as: optional,
  'as-uid': optional,
  'as-groups': z.array(z.string()).nullish(),
  'as-user-extra': z.record(z.string(), z.array(z.string())).nullish(),
  'auth-provider': z.looseObject({ name: z.string() }).nullish(),
  exec: z
    .looseObject({
      apiVersion: optional,
      command: text,
      args: z.array(z.string()).nullish(),
      env: z
        .array(
          z.object({
            name: z.string(),
            value: z
              .string()
              .nullish()
              .transform((value) => value ?? ''),
          }),
        )
        .nullish(),
      installHint: optional,
      interactiveMode: optional,
      provideClusterInfo: z.boolean().nullish(),
    })
    .nullish(),
});

/**
 * Name of a context's extension with settings for its cluster alone. kubectl leaves extensions of others as
 * they are.
 */
export const FLOTILLA_EXTENSION = 'flotilla';
const FlotillaExtension = z.looseObject({
  globalCatalogNamespace: optional,
  identity: optional,
  accepted: optional,
  paused: z.boolean().nullish(),
  observed: z.boolean().nullish(),
  leaving: z.boolean().nullish(),
});

const list = z.array(z.unknown()).nullish();
/** The file as a whole: an entry that is broken does not break it. An empty file has no entries. */
const Kubeconfig = z
  .looseObject({ clusters: list, users: list, contexts: list, 'current-context': z.unknown().optional() })
  .nullish();

const Context = z.looseObject({ cluster: optional, user: optional, extensions: z.unknown().optional() });

type KubeconfigCluster = z.infer<typeof KubeconfigCluster>;
export type KubeconfigUser = z.infer<typeof KubeconfigUser>;

/** One context with its cluster and user; paths in it are absolute. */
export type ClusterAccess = Readonly<{
  context: string;
  file: string;
  cluster: KubeconfigCluster;
  user: KubeconfigUser;
  /**
   * True if the login is in a kubeconfig; otherwise it is in a Secret of the hub, or with the pod that we run
   * in. Default: true.
   */
  isInKubeconfig?: boolean;
  /** True if another tool wrote the login: the hub reads it and never renews it. */
  isRenewedByOthers?: boolean;
}> &
  ClusterTerms;

/** Settings of the context's extension for its cluster alone. */
export type ClusterTerms = Readonly<{
  /** The global catalog namespace of the cluster (why: classic.md "Global catalog namespace"). */
  globalCatalogNamespace?: string;
  /** The UID of its namespace kube-system: with another one the context leads to another cluster. */
  identity?: string;
  /** The hub observes the cluster and does not act there: until it is resumed. */
  paused?: boolean;
  /**
   * Another one acts there, such as OpenShift's OLM: the hub reports, and never writes (why: clusters.md
   * "Observed clusters").
   */
  observed?: boolean;
  /** The hub leaves the cluster: `clusters remove` was begun. */
  leaving?: boolean;
  /**
   * The UID that people accepted in place of the one before, or against another cluster that gives it. With
   * another UID the cluster joins again.
   */
  accepted?: string;
}>;

/** An entry of a kubeconfig: its file, and the value, possibly broken. */
type Entry = Readonly<{ file: string; value: unknown; isTwice: boolean }>;
type Kind = 'clusters' | 'users' | 'contexts';

export type ParsedKubeconfig = Readonly<{
  file: string;
  currentContext: string | undefined;
  contexts: readonly string[];
  /** Items of the list of contexts, also those that cannot be used. */
  contextCount: number;
  /** Names of its parts at the top, such as `users`. */
  parts: readonly string[];
  /** A line for each entry and each extension that is passed over: it has no name. */
  problems: readonly string[];
  entry(kind: Kind, name: string): Entry | undefined;
  /**
   * Returns the access of a context. Fails if the context, its cluster or its user is missing or malformed.
   */
  access(context: string): ClusterAccess;
}>;

export const LARGEST_KUBECONFIG = 8 * 1024 * 1024;

/**
 * Reads a kubeconfig's text. A context, cluster, user or extension that is empty or broken spoils only itself
 * and the entries that refer to it.
 */
export function parseKubeconfig(file: string, source: string): ParsedKubeconfig {
  const config = parse(file, source);
  const problems: string[] = [];
  const kinds: readonly Kind[] = ['clusters', 'users', 'contexts'];
  const [clusters, users, contexts] = kinds.map((kind) => named(file, kind, config[kind] ?? [], problems));
  const all: Readonly<Record<Kind, ReadonlyMap<string, Entry> | undefined>> = { clusters, users, contexts };
  const current = config['current-context'] ?? undefined;
  const isText = current === undefined || typeof current === 'string';
  if (!isText) problems.push(`current-context of ${file} is not text: it is skipped`);
  const parsed: ParsedKubeconfig = {
    file,
    currentContext: isText && current !== '' ? current : undefined,
    contexts: [...(contexts?.keys() ?? [])],
    contextCount: config.contexts?.length ?? 0,
    parts: Object.keys(config),
    problems,
    entry: (kind, name) => all[kind]?.get(name),
    access: (context) => accessIn([parsed], context),
  };
  return parsed;
}

const ONE: Readonly<Record<Kind, string>> = { clusters: 'cluster', users: 'user', contexts: 'context' };

/** The entries of a list by name. As in kubectl, one without a name is passed over. */
function named(file: string, kind: Kind, items: readonly unknown[], problems: string[]): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const [at, item] of items.entries()) {
    const { name, value } = nameOf(item, ONE[kind]);
    if (typeof name === 'string' && name !== '') {
      entries.set(name, { file, value, isTwice: entries.has(name) });
      problems.push(...extensionProblems(`${ONE[kind]} "${name}" of ${file}`, value));
    } else problems.push(`${ONE[kind]} ${at + 1} of ${file} has ${whatName(item, name)}: it is skipped`);
  }
  return entries;
}

/** Returns a line for each extension that is passed over: it has no name, and so no owner. */
function extensionProblems(where: string, value: unknown): readonly string[] {
  const { extensions } = typeof value === 'object' && value !== null ? (value as { extensions?: unknown }) : {};
  if (extensions === undefined || extensions === null) return [];
  if (!Array.isArray(extensions)) return [`the extensions of ${where} are not a list: they are skipped`];
  return extensions.flatMap((item: unknown, at) => {
    const { name } = nameOf(item, 'extension');
    if (typeof name === 'string' && name !== '') return [];
    return [`extension ${at + 1} of ${where} has ${whatName(item, name)}: it is skipped`];
  });
}

function nameOf(item: unknown, field: string): Readonly<{ name?: unknown; value?: unknown }> {
  if (typeof item !== 'object' || item === null) return {};
  const { name, [field]: value } = item as Readonly<Record<string, unknown>>;
  return { name, value };
}

const whatName = (item: unknown, name: unknown): string =>
  typeof item === 'object' && item !== null && (typeof name === 'number' || typeof name === 'boolean')
    ? `the name ${name}, which is not text (write it in quotes)`
    : 'no name';

/**
 * The access that a context of these files gives. As in kubectl, the first file that has an entry counts,
 * for the context, its cluster and its user each; paths are relative to the file of the entry.
 */
export function accessIn(configs: readonly ParsedKubeconfig[], context: string): ClusterAccess {
  const find = (kind: Kind, name: string): Entry | undefined =>
    configs.map((config) => config.entry(kind, name)).find((entry) => entry !== undefined);
  const found = find('contexts', context);
  if (found === undefined) throw unknownContext(configs, context);
  const { file } = found;
  if (found.isTwice) throw broken(file, context, 'it occurs twice: rename or delete one of them');
  const { cluster, user, extensions } = checked(file, context, 'the context', Context, found.value ?? {});
  if (!cluster) throw broken(file, context, 'it names no cluster');
  const place = find('clusters', cluster);
  if (place === undefined) throw broken(file, context, `its cluster "${cluster}" is not defined`);
  const login = user ? find('users', user) : { file, value: {}, isTwice: false };
  if (login === undefined) throw broken(file, context, `its user "${user}" is not defined`);
  for (const [what, entry] of [
    [`cluster "${cluster}"`, place],
    [`user "${user}"`, login],
  ] as const)
    if (entry.isTwice) throw broken(file, context, `its ${what} occurs twice: rename or delete one of them`);
  const access: ClusterAccess = {
    ...termsIn(file, context, extensions),
    context,
    file,
    cluster: rootedCluster(
      place.file,
      checked(file, context, `cluster "${cluster}"`, KubeconfigCluster, place.value ?? {}),
    ),
    user: rootedUser(login.file, checked(file, context, `user "${user}"`, KubeconfigUser, login.value ?? {})),
  };
  const why = unusable(access);
  if (why !== undefined) throw broken(file, context, why);
  return access;
}

/** Returns the reason no client can be created from an access. No text of an address is repeated. */
function unusable({ cluster, user }: ClusterAccess): string | undefined {
  if (serverUrl(cluster.server) === undefined) return 'its server is not an http(s) URL';
  const proxy = cluster['proxy-url'];
  const scheme = proxy ? proxyAddress(proxy)?.protocol.replace(':', '') : undefined;
  if (proxy && scheme === undefined) return 'its proxy-url is not a URL';
  if (scheme !== undefined && !PROXY_SCHEMES.includes(scheme))
    return `its proxy-url has a scheme that is not known: use one of ${PROXY_SCHEMES.join(', ')}`;
  const why = user.exec ? unusableExec(user.exec) : undefined;
  return why === undefined ? conflictIn(cluster, user) : `its user: ${why}`;
}

/** Several kubeconfigs as one, as kubectl reads those of KUBECONFIG: the first that has something counts. */
export function mergeKubeconfigs(
  configs: readonly ParsedKubeconfig[],
): Pick<ParsedKubeconfig, 'currentContext' | 'contexts' | 'access'> {
  return {
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    contexts: [...new Set(configs.flatMap(({ contexts }) => contexts))],
    access: (context) => accessIn(configs, context),
  };
}

function parse(file: string, source: string): NonNullable<z.infer<typeof Kubeconfig>> {
  const fail = (why: string) =>
    new ClusterConfigError(undefined, `${file} is not a kubeconfig: ${why}: repair it, or name another file`);
  if (source.length > LARGEST_KUBECONFIG) throw fail('it is larger than 8 MiB');
  let document: unknown;
  try {
    // As in kubectl, the last of equal keys counts.
    const first = firstDocument(source);
    [document] = first.trim() === '' ? [] : loadAll(first, null, { json: true });
  } catch (error) {
    // The library's text quotes the lines around the fault, and they may hold a token: its
    // first line has the position.
    throw fail((error instanceof Error ? error.message : '').split('\n')[0] ?? '');
  }
  const config = Kubeconfig.safeParse(document);
  if (config.success) return config.data ?? {};
  const [issue] = config.error.issues;
  throw fail(`${issue?.path.join('.') || 'the document'}: ${issue?.message}`);
}

/** Returns the text of the first document. As in kubectl, nothing after it is read. */
function firstDocument(source: string): string {
  const lines = source.split('\n');
  const begin = lines.findIndex((line) => !/^(?:\s*(?:#.*)?|%.*)$/.test(line));
  const end = lines.findIndex((line, at) => at > begin && /^(?:---|\.\.\.)(?:\s|$)/.test(line));
  return lines.slice(0, end === -1 ? undefined : end).join('\n');
}

function checked<T>(file: string, context: string, what: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw broken(file, context, `${what}: ${issue?.path.join('.') || 'entry'}: ${issue?.message}`);
}

/** Extensions of others are theirs. One without a name means nothing here, and was named. */
function termsIn(file: string, context: string, extensions: unknown): ClusterTerms {
  const all: readonly unknown[] = Array.isArray(extensions) ? extensions : [];
  const ours = all.map((one) => nameOf(one, 'extension')).find(({ name }) => name === FLOTILLA_EXTENSION)?.value ?? {};
  const terms = checked(file, context, `extension "${FLOTILLA_EXTENSION}"`, FlotillaExtension, ours);
  return {
    ...(terms.globalCatalogNamespace ? { globalCatalogNamespace: terms.globalCatalogNamespace } : {}),
    ...(terms.identity ? { identity: terms.identity } : {}),
    ...(terms.accepted ? { accepted: terms.accepted } : {}),
    ...(terms.paused ? { paused: true } : {}),
    ...(terms.observed ? { observed: true } : {}),
    ...(terms.leaving ? { leaving: true } : {}),
  };
}

const broken = (file: string, context: string, why: string): ClusterConfigError =>
  new ClusterConfigError(context, `context "${context}" of ${file} cannot be used: ${why}`);

function unknownContext(configs: readonly ParsedKubeconfig[], context: string): ClusterConfigError {
  const files = configs.map(({ file, contexts }) => `${file} has ${contexts.join(', ') || 'none'}`);
  return new ClusterConfigError(context, `there is no context "${context}": ${files.join('; ')}`);
}

/** Paths are relative to their file, as kubectl reads them. */
function rooted<T extends object>(file: string, entry: T, keys: readonly string[]): T {
  const root = dirname(resolve(file));
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) =>
      keys.includes(key) && typeof value === 'string' && value !== '' && !isAbsolute(value)
        ? [key, join(root, value)]
        : [key, value],
    ),
  ) as T;
}

const rootedCluster = (file: string, cluster: KubeconfigCluster): KubeconfigCluster =>
  rooted(file, cluster, ['certificate-authority']);

/** The command of a plugin is relative to the file only if it is a path at all. */
function rootedUser(file: string, user: KubeconfigUser): KubeconfigUser {
  const found = rooted(file, user, ['client-certificate', 'client-key', 'tokenFile']);
  const { exec } = found;
  return exec?.command.includes('/') ? { ...found, exec: rooted(file, exec, ['command']) } : found;
}
