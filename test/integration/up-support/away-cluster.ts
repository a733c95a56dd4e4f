import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { freePorts } from '#testing/control-plane/free-ports';

const Kubeconfig = z.looseObject({
  clusters: z.array(z.unknown()),
  users: z.array(z.looseObject({ user: z.looseObject({ token: z.string() }) })),
  contexts: z.array(z.unknown()),
});

/**
 * Adds a context to a kubeconfig, for a cluster at a loopback port without a listener yet; its token lies in
 * a file.
 */
export function withAwayCluster(
  kubeconfig: string,
  { name, port, tokenFile }: Readonly<{ name: string; port: number; tokenFile: string }>,
): string {
  const { clusters, users, contexts, ...rest } = Kubeconfig.parse(parse(kubeconfig));
  const cluster = { server: `https://127.0.0.1:${port}/clusters/${name}`, 'insecure-skip-tls-verify': true };
  return stringify({
    ...rest,
    clusters: [...clusters, { name, cluster }],
    users: [...users, { name, user: { tokenFile } }],
    contexts: [...contexts, { name, context: { cluster: name, user: name } }],
  });
}

/** The token of a kubeconfig's first user. */
export const tokenOf = (kubeconfig: string): string => Kubeconfig.parse(parse(kubeconfig)).users[0]?.user.token ?? '';

/** Returns a loopback port without a listener. */
export const freePort = async (): Promise<number> => (await freePorts(1))[0] ?? 0;
