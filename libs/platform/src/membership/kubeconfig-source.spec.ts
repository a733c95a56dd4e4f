import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { KubeconfigSource, type KubeconfigSourceOptions } from './kubeconfig-source.js';

let folder = '';
const file = (name: string) => join(folder, name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-source-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

type Contexts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const kubeconfig = (contexts: Contexts, current = '') =>
  stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://c' } }],
    users: [{ name: 'u', user: { token: 'hush' } }],
    contexts: Object.entries(contexts).map(([name, extension]) => ({
      name,
      context: { cluster: 'c', user: 'u', extensions: [{ name: 'flotilla', extension }] },
    })),
    'current-context': current,
  });

function sourceOf(options: Partial<KubeconfigSourceOptions> = {}) {
  const source = new KubeconfigSource({
    kubeconfigs: [file('config')],
    namedBy: 'FLOTILLA_KUBECONFIG',
    clustersFile: file('clusters.yaml'),
    contexts: [],
    environment: { KUBECONFIG: file('kubectl') },
    ...options,
  });
  const read = async () => {
    const { members, problems } = await source.read();
    return { clusters: members.map(({ cluster }) => cluster), problems: problems.map(({ text }) => text) };
  };
  /** A change counts when two polls have found the same file. */
  const readAgain = async () => {
    await read();
    return read();
  };
  return { source, read, readAgain };
}

describe('the kubeconfigs of a process', () => {
  it('are read again once they have changed and are at rest', async () => {
    await writeFile(file('config'), kubeconfig({ east: {} }));
    const { source, read } = sourceOf();
    expect(await read()).toEqual({ clusters: ['east'], problems: [] });
    expect(await source.read(), 'nothing has changed').toBe(await source.read());
    await writeFile(file('config'), kubeconfig({ east: {}, west: { paused: true } }));
    expect(await read(), 'it may be being written').toMatchObject({ clusters: ['east'] });
    expect(await read()).toEqual({ clusters: ['east', 'west'], problems: [] });
    const [, west] = (await source.read()).members;
    expect(west?.access).toMatchObject({ paused: true });
  });

  it.each([
    { because: 'it is cut off', spoil: () => writeFile(file('config'), kubeconfig({ east: {} }).slice(0, 40)) },
    { because: 'it is empty', spoil: () => writeFile(file('config'), '') },
    { because: 'it has gone', spoil: () => unlink(file('config')) },
    { because: 'it is too large', spoil: () => writeFile(file('config'), 'x'.repeat(8 * 1024 * 1024 + 1)) },
  ])('change nothing where $because, which is reported until it is well again', async ({ spoil }) => {
    await writeFile(file('config'), kubeconfig({ east: {} }));
    const { read, readAgain } = sourceOf();
    await read();
    await spoil();
    const { clusters, problems } = await readAgain();
    expect([clusters, problems.length]).toEqual([['east'], 1]);
    expect(problems[0]).toContain(file('config'));
    expect(problems[0]).toContain('its clusters do not change');
    await writeFile(file('config'), kubeconfig({ east: {} }));
    expect(await readAgain()).toEqual({ clusters: ['east'], problems: [] });
  });

  it('fail at the start where no cluster can be had, with the reason', async () => {
    await expect(sourceOf().read()).rejects.toThrow(/open .*config: no such file.*: check FLOTILLA_KUBECONFIG/);
    await writeFile(file('config'), kubeconfig({ east: {} }));
    await expect(sourceOf({ contexts: ['west'] }).read()).rejects.toThrow(/there is no context "west": .* has east/);
  });

  it('give the contexts that were named alone', async () => {
    await writeFile(file('config'), kubeconfig({ east: {}, west: {} }));
    await writeFile(file('more'), kubeconfig({ west: {}, north: {} }));
    const { read } = sourceOf({ kubeconfigs: [file('config'), file('more')], contexts: ['north', 'west'] });
    expect(await read()).toEqual({ clusters: ['west', 'north'], problems: [] });
  });

  it('name an entry that is passed over, and take the others', async () => {
    await writeFile(file('config'), kubeconfig({ east: {} }).replace('contexts:', 'contexts:\n  - null'));
    const { clusters, problems } = await sourceOf().read();
    expect([clusters, problems]).toEqual([['east'], [`context 1 of ${file('config')} has no name: it is skipped`]]);
  });

  it('leave out a cluster whose removal was begun', async () => {
    await writeFile(file('config'), kubeconfig({ east: { leaving: true }, west: {} }));
    expect(await sourceOf().read()).toEqual({ clusters: ['west'], problems: [] });
  });
});

describe('the clusters of a process for which no kubeconfig was named', () => {
  it('are those that were added; the last one that is removed leaves none', async () => {
    await writeFile(file('clusters.yaml'), kubeconfig({ east: {}, west: {} }));
    await writeFile(file('kubectl'), kubeconfig({ laptop: {} }, 'laptop'));
    const { read, readAgain } = sourceOf({ kubeconfigs: [] });
    expect(await read()).toEqual({ clusters: ['east', 'west'], problems: [] });
    await writeFile(file('clusters.yaml'), kubeconfig({}));
    expect(await readAgain(), 'kubectl’s own is not taken over').toEqual({ clusters: [], problems: [] });
  });

  it('are kubectl’s context of the start, until one is added', async () => {
    await writeFile(file('kubectl'), kubeconfig({ laptop: {}, office: {} }, 'laptop'));
    const { read, readAgain } = sourceOf({ kubeconfigs: [] });
    expect(await read()).toEqual({ clusters: ['laptop'], problems: [] });
    await writeFile(file('kubectl'), kubeconfig({ laptop: {}, office: {} }, 'office'));
    expect(await readAgain()).toEqual({ clusters: ['laptop'], problems: [] });
    await writeFile(file('clusters.yaml'), kubeconfig({ east: {} }));
    await readAgain();
    expect(await readAgain()).toEqual({ clusters: ['east'], problems: [] });
  });

  it('may have their parts in several files of KUBECONFIG', async () => {
    const whole = parse(kubeconfig({ laptop: {} }, 'laptop')) as Record<string, unknown>;
    await writeFile(file('contexts'), stringify({ contexts: whole['contexts'], 'current-context': 'laptop' }));
    await writeFile(file('parts'), stringify({ clusters: whole['clusters'], users: whole['users'] }));
    const environment = { KUBECONFIG: [file('contexts'), file('absent'), file('parts')].join(':') };
    const { read, readAgain } = sourceOf({ kubeconfigs: [], environment });
    expect(await read()).toEqual({ clusters: ['laptop'], problems: [] });
    await unlink(file('parts'));
    expect((await readAgain()).clusters, 'a file that has gone changes nothing').toEqual(['laptop']);
  });
});
