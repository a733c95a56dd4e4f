import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleQuestion, QuestionAnswer } from '#core/view/questions/console-question';
import { GraphAnswer, PackageDetail, PackageTileList } from '../api/catalogs.schema.js';
import { fillTwoClusters, openConsole, operatorRow, type RunningConsole } from '../console.fixture.js';
import { contentAnswer, ICON, ICON_HASH } from './content.fixture.js';

const ID = 'a'.repeat(16);
let run: RunningConsole;
let asked: ConsoleQuestion[];
let answer: (question: ConsoleQuestion) => QuestionAnswer;

beforeAll(async () => {
  [asked, answer] = [[], contentAnswer];
  const ask = async (question: ConsoleQuestion) => {
    asked.push(question);
    return answer(question);
  };
  run = await openConsole({}, { asker: { ask } });
  fillTwoClusters(run.view);
  const channel = { channel: 'candidate' };
  run.view.write({ cluster: 'east', changed: [operatorRow('east', 'lamp', channel)], removed: [] });
});
afterAll(() => run.service.stop());

const json = async (path: string): Promise<unknown> => (await run.get(`/api/v1/catalogs/${path}`)).json();

describe('what a catalog holds', () => {
  it('is a list of packages, with how many clusters have them', async () => {
    const { items } = PackageTileList.parse(await json(`${ID}/packages?q=light`));
    expect(items).toMatchObject([
      { package: 'lamp', displayName: 'Lamp', summary: 'Light', newest: '1.1.0', clusters: 2 },
    ]);
    expect(asked.at(-1)).toMatchObject({ cluster: 'east', namespace: 'olm', name: 'samples', words: 'light' });
  });

  it('is a package with safe links, where it runs, and a manifest of the newest', async () => {
    const detail = PackageDetail.parse(await json(`${ID}/packages/lamp`));
    expect(detail.links).toEqual([{ name: 'link', url: 'https://example.com/' }]);
    expect(JSON.stringify(detail.description)).not.toContain('"link"');
    expect(detail.where).toEqual([{ bundle: 'lamp.v1.0.0', clusters: 2 }]);
    expect(detail.channels.map(({ name }) => name)).toEqual(['stable', 'candidate']);
    expect(detail.manifest).toContain('sourceNamespace: olm');
  });

  it('is a graph, with the way in the channel that the operator of a cluster follows', async () => {
    const of = async (query: string) => GraphAnswer.parse(await json(`${ID}/packages/lamp/graph?${query}`));
    expect((await of('from=lamp.v1.0.0')).way).toEqual(['lamp.v1.0.0', 'lamp.v1.1.0']);
    expect(await of('cluster=east')).toMatchObject({ channel: 'candidate', way: ['lamp.v1.0.0', 'lamp.v2.0.0'] });
    expect((await of('from=nowhere.v9.9.9')).way).toEqual([]);
  });

  it('may have names of any length that Kubernetes allows', async () => {
    const answer = await run.get(`/api/v1/catalogs/${ID}/packages/${'x'.repeat(253)}`);
    expect(answer.status).toBe(404);
  });

  it('is not there where no row has it, and another cluster is asked where one does not answer', async () => {
    expect((await run.get('/api/v1/catalogs/cccc/packages')).status).toBe(404);
    expect((await run.get(`/api/v1/catalogs/${ID}/packages/none`)).status).toBe(404);
    answer = () => ({ because: 'away', message: 'not read yet' });
    expect((await run.get(`/api/v1/catalogs/${ID}/packages`)).status).toBe(504);
    answer = contentAnswer;
  });
});

describe('icons', () => {
  const path = async () => PackageTileList.parse(await json(`${ID}/packages`)).items[0]?.icon ?? '';

  it('come without a sign-in, in a sandbox, and only with the hash of their bytes', async () => {
    const other = await run.get((await path()).replace(ICON_HASH, '0'.repeat(64)), {});
    expect(other.status).toBe(404);
    const reply = await run.get(await path(), {});
    expect(reply.headers.get('content-type')).toBe('image/svg+xml');
    expect(reply.headers.get('content-security-policy')).toContain('sandbox');
    expect(Buffer.from(await reply.arrayBuffer())).toEqual(ICON);
  });

  it('are asked for once', async () => {
    const first = await path();
    await run.get(first, {});
    const before = asked.length;
    await run.get(first, {});
    expect(asked.length).toBe(before);
  });
});
