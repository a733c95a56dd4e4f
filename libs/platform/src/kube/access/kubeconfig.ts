import { dirname, isAbsolute, join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { ClusterConfigError } from './cluster-config.error.js';

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
 * Where a context says what is set for its cluster alone; kubectl leaves extensions of others as they are.
 */
export const FLOTILLA_EXTENSION = 'flotilla';
const Extension = z.looseObject({ name: text, extension: z.unknown() });
const FlotillaExtension = z.looseObject({
  globalCatalogNamespace: optional,
  identity: optional,
  accepted: optional,
  paused: z.boolean().nullish(),
  observed: z.boolean().nullish(),
  leaving: z.boolean().nullish(),
});

const Kubeconfig = z.looseObject({
  clusters: z.array(z.looseObject({ name: text, cluster: z.unknown() })).nullish(),
  users: z.array(z.looseObject({ name: text, user: z.unknown() })).nullish(),
  contexts: z
    .array(
      z.looseObject({
        name: text,
        context: z.looseObject({ cluster: text, user: optional, extensions: z.array(Extension).nullish() }),
      }),
    )
    .nullish(),
  'current-context': optional,
});

type KubeconfigCluster = z.infer<typeof KubeconfigCluster>;
export type KubeconfigUser = z.infer<typeof KubeconfigUser>;

/** One context with what it points to; paths in it are absolute. */
export type ClusterAccess = Readonly<{
  context: string;
  file: string;
  cluster: KubeconfigCluster;
  user: KubeconfigUser;
  /** False: in a Secret of the hub, or with the pod that we run in. Default: true. */
  isInKubeconfig?: boolean;
}> &
  ClusterTerms;

/** What the context's extension sets for its cluster alone. */
export type ClusterTerms = Readonly<{
  /** Decision 0107. */
  globalCatalogNamespace?: string;
  /** The UID of its namespace kube-system: with another one the context leads to another cluster. */
  identity?: string;
  /** The hub observes the cluster and does not act there: until it is resumed. */
  paused?: boolean;
  /** Another one acts there, such as OpenShift's OLM: the hub reports, and never writes (decision 0216). */
  observed?: boolean;
  /** The hub leaves the cluster: `clusters remove` was begun. */
  leaving?: boolean;
  /**
   * The UID that people accepted in place of the one before, or against another cluster that gives it; with
   * another one the cluster joins anew.
   */
  accepted?: string;
}>;

export type ParsedKubeconfig = Readonly<{
  file: string;
  currentContext: string | undefined;
  contexts: readonly string[];
  /** Names of its parts at the top, such as `users`. */
  parts: readonly string[];
  /** Fails where the context, its cluster or its user is missing or malformed. */
  access(context: string): ClusterAccess;
}>;

export const LARGEST_KUBECONFIG = 8 * 1024 * 1024;

/**
 * Reads a kubeconfig's text. Contexts are read one by one, so that a broken one does
 * not invalidate the others.
 */
export function parseKubeconfig(file: string, source: string): ParsedKubeconfig {
  const config = parse(file, source);
  const contexts = config.contexts ?? [];
  return {
    file,
    currentContext: config['current-context'] ?? undefined,
    contexts: contexts.map(({ name }) => name),
    parts: Object.keys(config),
    access(context) {
      const found = contexts.find(({ name }) => name === context)?.context;
      if (found === undefined) throw unknownContext(file, context, contexts);
      const entry = config.clusters?.find(({ name }) => name === found.cluster)?.cluster;
      if (entry === undefined) throw broken(file, context, `its cluster "${found.cluster}" is not defined`);
      const user = found.user ?? '';
      const login = user === '' ? {} : config.users?.find(({ name }) => name === user)?.user;
      if (login === undefined) throw broken(file, context, `its user "${user}" is not defined`);
      return absolute({
        ...termsIn(file, context, found.extensions ?? []),
        context,
        file,
        cluster: checked(file, context, `cluster "${found.cluster}"`, KubeconfigCluster, entry),
        user: checked(file, context, `user "${user}"`, KubeconfigUser, login ?? {}),
      });
    },
  };
}

function parse(file: string, source: string): z.infer<typeof Kubeconfig> {
  const fail = (why: string) =>
    new ClusterConfigError(undefined, `${file} is no kubeconfig: ${why}: repair it, or name another file`);
  if (source.length > LARGEST_KUBECONFIG) throw fail('it is larger than 8 MiB');
  let document: unknown;
  try {
    document = load(source);
  } catch (error) {
    // The library's text quotes the lines around the fault, and they may hold a token: its
    // first line has the position.
    throw fail((error instanceof Error ? error.message : '').split('\n')[0] ?? '');
  }
  const config = Kubeconfig.safeParse(document);
  if (config.success) return config.data;
  const [issue] = config.error.issues;
  throw fail(`${issue?.path.join('.') || 'the document'}: ${issue?.message}`);
}

function checked<T>(file: string, context: string, what: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw broken(file, context, `${what}: ${issue?.path.join('.') || 'entry'}: ${issue?.message}`);
}

function termsIn(file: string, context: string, extensions: readonly z.infer<typeof Extension>[]): ClusterTerms {
  const ours = extensions.find(({ name }) => name === FLOTILLA_EXTENSION)?.extension ?? {};
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

function unknownContext(file: string, context: string, known: readonly { name: string }[]): ClusterConfigError {
  const names = known.map(({ name }) => name).toSorted(byCodeUnit);
  return new ClusterConfigError(context, `${file} has no context "${context}"; it has: ${names.join(', ') || 'none'}`);
}

/**
 * Relative paths are relative to the file, as kubectl reads them; an exec command
 * only if it is a path at all.
 */
function absolute(access: ClusterAccess): ClusterAccess {
  const root = dirname(resolve(access.file));
  const rooted = <T extends object>(entry: T, keys: readonly string[]): T =>
    Object.fromEntries(
      Object.entries(entry).map(([key, value]) =>
        keys.includes(key) && typeof value === 'string' && value !== '' && !isAbsolute(value)
          ? [key, join(root, value)]
          : [key, value],
      ),
    ) as T;
  const user = rooted(access.user, ['client-certificate', 'client-key', 'tokenFile']);
  const exec = user.exec;
  const isPath = exec?.command.includes('/') ?? false;
  return {
    ...access,
    cluster: rooted(access.cluster, ['certificate-authority']),
    user: isPath && exec ? { ...user, exec: rooted(exec, ['command']) } : user,
  };
}
