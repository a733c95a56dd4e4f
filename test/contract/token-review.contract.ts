import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '#platform/clock/system-clock';
import { HttpAccess } from '#platform/http/http-access';
import { TokenReviewer } from '#platform/http/token-reviewer';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { silentLog } from '#platform/telemetry/log.port';
import { issueToken } from '#testing/cluster/issue-token';
import { PATIENCE } from '#testing/patience';

export type TokenReviewSubject = Readonly<{
  client: KubeClient;
  /** The API server, and the token of its administrator. */
  server: Readonly<{ url: string; token: string }>;
  stop(): Promise<void>;
}>;

const GROUP = 'rbac.authorization.k8s.io';
const API = '/apis/packages.operators.coreos.com/v1/packagemanifests';

const NO_TOKEN = 'the kubeconfig of this cluster has no token to ask for others with';

/** Tokens for the hub's HTTP, reviewed by the API server of the hub's own cluster. */
export function tokenReviewContract(name: string, start: () => Promise<TokenReviewSubject | undefined>): void {
  describe(`tokens of service accounts, reviewed by ${name}`, () => {
    let subject: TokenReviewSubject | undefined;
    let access: HttpAccess;
    let token: string;

    beforeAll(async () => {
      subject = await start();
      if (subject === undefined) return;
      const { client, server } = subject;
      const reviewer = new TokenReviewer(client, new SystemClock(), silentLog);
      access = new HttpAccess({ areas: new Set(['packages', 'metrics']), reviewer });
      const account = { name: 'console', namespace: 'team' };
      await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
      await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
      await client.create({
        ...{ apiVersion: `${GROUP}/v1`, kind: 'ClusterRole', metadata: { name: 'reads-east' } },
        rules: [{ nonResourceURLs: ['/clusters/east/*'], verbs: ['get'] }],
      });
      await client.create({
        ...{ apiVersion: `${GROUP}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'reads-east' } },
        roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'reads-east' },
        subjects: [{ kind: 'ServiceAccount', ...account }],
      });
      token = await issueToken(server, 'team', 'console');
    });
    afterAll(() => subject?.stop());

    const asked = (path: string, text = token) =>
      access.admit({ area: 'packages', path, authorization: `Bearer ${text}` });

    it('open the paths that the account may get, and no others', async (context) => {
      if (subject === undefined) return context.skip(NO_TOKEN);
      // The API server sees a new binding a moment later; a refusal counts for a while, so each try
      // asks about another path.
      let tries = 0;
      await expect.poll(() => asked(`/clusters/east${API}/${tries++}`), PATIENCE).toEqual({ admitted: true });
      const message = expect.stringMatching(/^"system:serviceaccount:team:console" may not read /);
      expect(await asked(`/clusters/west${API}`)).toEqual({ admitted: false, status: 403, message });
      expect(await asked('/metrics')).toEqual({ admitted: false, status: 403, message });
    });

    it('that it does not know open nothing', async (context) => {
      if (subject === undefined) return context.skip(NO_TOKEN);
      expect(await asked(`/clusters/east${API}`, 'no-token-of-this-cluster')).toMatchObject({
        admitted: false,
        status: 401,
      });
    });
  });
}
