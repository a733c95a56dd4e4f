import { describe, expect, it } from 'vitest';
import type { KindRef, ListOptions } from '#platform/kube/client/kube-client.port';
import { SharedLists } from './shared-lists.js';

const NAMESPACES: KindRef = { apiVersion: 'v1', kind: 'Namespace' };

/** A cluster that answers when the test says so; each answer has its number. */
function cluster() {
  const asked: { what: string; answer: () => void; fail: () => void }[] = [];
  const list = (kind: KindRef, options: ListOptions = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ items: never[]; resourceVersion: string }>();
    const number = String(asked.length + 1);
    asked.push({
      what: `${kind.kind} ${JSON.stringify(options)}`,
      answer: () => resolve({ items: [], resourceVersion: number }),
      fail: () => reject(new Error('away')),
    });
    return promise;
  };
  const lists = new SharedLists({ list });
  const ask = async (options?: ListOptions) => (await lists.list(NAMESPACES, options))?.resourceVersion;
  return { asked, ask };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('lists that passes share', () => {
  it('who asks while a list is under way gets the next one, together with all who came meanwhile', async () => {
    const { asked, ask } = cluster();
    const answers = [ask(), ask(), ask()];
    expect(asked.length).toBe(1);
    asked[0]?.answer();
    await settle();
    expect(asked.length).toBe(2);
    answers.push(ask());
    asked[1]?.answer();
    await settle();
    asked[2]?.answer();
    expect(await Promise.all(answers)).toEqual(['1', '2', '2', '3']);
  });

  it('nothing is kept: who asks later asks the cluster', async () => {
    const { asked, ask } = cluster();
    for (const number of ['1', '2']) {
      const answer = ask();
      asked.at(-1)?.answer();
      expect(await answer).toBe(number);
    }
  });

  it('other questions are other lists', () => {
    const { asked, ask } = cluster();
    void ask();
    void ask({ namespace: 'sea' });
    void ask({ labelSelector: 'a=b' });
    expect(asked.map(({ what }) => what)).toEqual([
      'Namespace {}',
      'Namespace {"namespace":"sea"}',
      'Namespace {"labelSelector":"a=b"}',
    ]);
  });

  it('a list that fails does so for those who share it, and not for the next', async () => {
    const { asked, ask } = cluster();
    const first = ask();
    const others = [ask(), ask()];
    asked[0]?.fail();
    await expect(first).rejects.toThrow('away');
    asked[1]?.answer();
    expect(await Promise.all(others)).toEqual(['2', '2']);
  });
});
