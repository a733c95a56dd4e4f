import { describe, expect, it } from 'vitest';
import { type KubeClient, type WatchEvent, type WatchOptions } from '../kube/client/kube-client.port.js';
import { ReadBudget } from '../kube/limits/read-budget.js';
import { RenewableClient } from './renewable-client.js';

const POD = { apiVersion: 'v1', kind: 'Pod' };

/** Answers reads when the test says so, and keeps watches open until one of their signals ends them. */
function slowClient(login: string) {
  const answers: (() => void)[] = [];
  const state = { closed: false };
  const client = {
    cluster: 'east',
    budget: new ReadBudget('east'),
    serverVersion: () => new Promise<string>((resolve) => answers.push(() => resolve(login))),
    async *watch(_kind: unknown, { signal, until = signal }: WatchOptions): AsyncGenerator<WatchEvent<never>> {
      await new Promise((resolve) => {
        for (const one of [signal, until]) one.addEventListener('abort', resolve, { once: true });
      });
    },
    actingAs: ({ user }: { user: string }) => ({ ...client, serverVersion: async () => `${login} for ${user}` }),
    close: async () => {
      state.closed = true;
    },
  } as unknown as KubeClient;
  return { client, state, answer: () => answers.splice(0).forEach((one) => void one()) };
}

describe('a client whose login is replaced', () => {
  it('ends what is under way with the old login, and then its connections', async () => {
    const [old, next] = [slowClient('old'), slowClient('next')];
    const client = new RenewableClient(old.client);
    const underWay = client.serverVersion();
    const renewed = client.renew(next.client);
    const after = client.serverVersion();
    next.answer();
    expect([await after, old.state.closed]).toEqual(['next', false]);
    old.answer();
    expect(await underWay).toBe('old');
    await renewed;
    expect(old.state.closed).toBe(true);
  });

  it('ends watches without an error, and opens the next with the new login', async () => {
    const client = new RenewableClient(slowClient('old').client);
    const options = { resourceVersion: '1', signal: new AbortController().signal };
    const watched = (async () => {
      for await (const event of client.watch(POD, options)) throw new Error(`unexpected ${event.type}`);
      return 'ended';
    })();
    await client.renew(slowClient('next').client);
    expect(await watched).toBe('ended');
  });

  it('acts as another user with the login of the moment', async () => {
    const client = new RenewableClient(slowClient('old').client);
    const tenant = client.actingAs({ user: 'tenant' });
    expect(await tenant.serverVersion()).toBe('old for tenant');
    await client.renew(slowClient('next').client);
    expect(await tenant.serverVersion()).toBe('next for tenant');
    await tenant.close();
    const next = client.serverVersion();
    await client.close();
    await expect(Promise.race([next, Promise.resolve('still open')])).resolves.toBe('still open');
  });
});
