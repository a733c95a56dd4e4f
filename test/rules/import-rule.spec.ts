import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const checker = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
const RULES = '.dependency-cruiser.cjs';
const FOLDERS = '.dependency-cruiser.folders.cjs';

/** Returns the checker's report about a tree, run exactly as in `make verify`. */
async function check(tree: string, config = RULES) {
  const args = [checker, '--config', config, 'apps', 'libs'];
  const { stdout, code } = await run(process.execPath, args, { cwd: tree }).then(
    ({ stdout }) => ({ stdout, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  );
  const broken = [
    ...stdout.matchAll(/^\s*error ([\w-]+): (\S+?):?$/gm),
    ...stdout.matchAll(/^\s*error ([\w-]+): (\S+) →/gm),
  ];
  return {
    code,
    broken: broken.map(([, rule, from]) => `${from} ${rule}`).toSorted(),
  };
}

/** Every file keeps the rule, but those below. */
const sound: Readonly<Record<string, string>> = {
  'libs/core/src/a/value.ts': "import { createHash } from 'node:crypto';\nexport const value = createHash('sha256');\n",
  'libs/core/src/a/value.spec.ts': "import 'node:fs';\nexport {};\n",
  'libs/platform/src/files/adapter.ts': "import { value } from '#core/a/value';\nexport const adapter = [value];\n",
  'libs/platform/src/telemetry/log.ts': 'export const log = 1;\n',
  'libs/platform/src/files/adapter.spec.ts': "import '../telemetry/log.js';\n",
  'libs/platform/src/registry/client/port.ts': "import '../../telemetry/log.js';\nexport const port = 1;\n",
  'libs/platform/src/registry/registry.ts': "import './client/port.js';\nexport const registry = 1;\n",
  'libs/platform/src/queue/queue.ts': "import '../telemetry/log.js';\nexport const queue = 1;\n",
  'libs/platform/src/fleet/fleet.ts': "import '../registry/registry.js';\nexport const fleet = 1;\n",
  'libs/core/src/kernel/name.ts': "export const name = 'n';\n",
  'libs/core/src/catalog/bundle.ts': "import { name } from '../kernel/name.js';\nexport const bundle = [name];\n",
  'libs/core/src/classic/plan.ts': "import { bundle } from '../catalog/bundle.js';\nexport const plan = [bundle];\n",
  'libs/core/src/v1/revision.ts': "import { bundle } from '../catalog/bundle.js';\nexport const revision = [bundle];\n",
  'libs/core/src/cluster/finding.ts':
    "import { plan } from '../classic/plan.js';\nimport { revision } from '../v1/revision.js';\nexport const finding = [plan, revision];\n",
  'libs/lifecycle/src/engine/pass.ts':
    "import { adapter } from '#platform/files/adapter';\nexport const pass = [adapter];\n",
  'libs/lifecycle/src/engine/passes/loop.ts': 'export const loop = 1;\n',
  'libs/lifecycle/src/engine/caches/cache.ts':
    "import { loop } from '../passes/loop.js';\nexport const cache = [loop];\n",
  'libs/lifecycle/src/engine/membership/member.ts':
    "import { cache } from '../caches/cache.js';\nexport const member = [cache];\n",
  'libs/lifecycle/src/catalogs/contents/content.ts': 'export const content = 1;\n',
  'libs/lifecycle/src/catalogs/sources/source.ts':
    "import { content } from '../contents/content.js';\nexport const source = [content];\n",
  'libs/lifecycle/src/catalogs/cluster-catalogs/served.ts':
    "import { content } from '../contents/content.js';\nexport const served = [content];\n",
  'libs/lifecycle/src/classic/namespaces/stage.ts': 'export const stage = 1;\n',
  'libs/lifecycle/src/classic/bundles/bundle.ts':
    "import { stage } from '../namespaces/stage.js';\nexport const bundle = [stage];\n",
  'libs/lifecycle/src/classic/install-plans/plan.ts':
    "import { bundle } from '../bundles/bundle.js';\nexport const plan = [bundle];\n",
  'libs/lifecycle/src/classic/subscriptions/resolution.ts':
    "import { plan } from '../install-plans/plan.js';\nexport const resolution = [plan];\n",
  'libs/lifecycle/src/classic/stages.ts':
    "import { resolution } from './subscriptions/resolution.js';\nexport const stages = [resolution];\n",
  'libs/lifecycle/src/v1/extensions/extension.ts': 'export const extension = 1;\n',
  'libs/lifecycle/src/v1/revisions/revision.ts':
    "import { extension } from '../extensions/extension.js';\nexport const revision = [extension];\n",
  'libs/lifecycle/src/v1/desired/wanted.ts':
    "import { revision } from '../revisions/revision.js';\nexport const wanted = [revision];\n",
  'libs/lifecycle/src/v1/reconcile-extension.ts':
    "import { wanted } from './desired/wanted.js';\nexport const reconcile = [wanted];\n",
  'libs/lifecycle/src/clusters/join.ts': "import { pass } from '../engine/pass.js';\nexport const join = [pass];\n",
  'libs/lifecycle/src/rollouts/assignments/place.ts': 'export const place = 1;\n',
  'libs/lifecycle/src/rollouts/orders/place/parts.ts':
    "import { place } from '../../assignments/place.js';\nexport const parts = [place];\n",
  'libs/lifecycle/src/rollouts/orders/subject/marks.ts':
    "import { parts } from '../place/parts.js';\nexport const marks = [parts];\n",
  'libs/lifecycle/src/rollouts/orders/review/plans.ts':
    "import { parts } from '../place/parts.js';\nexport const plans = [parts];\n",
  'libs/lifecycle/src/rollouts/orders/classic/approve.ts':
    "import { marks } from '../subject/marks.js';\nexport const approve = [marks];\n",
  'libs/lifecycle/src/rollouts/orders/v1/pin.ts':
    "import { plans } from '../review/plans.js';\nexport const pin = [plans];\n",
  'libs/lifecycle/src/rollouts/orders/catalog/move.ts':
    "import { marks } from '../subject/marks.js';\nexport const move = [marks];\n",
  'libs/lifecycle/src/rollouts/orders/carry-out.ts':
    "import { approve } from './classic/approve.js';\nimport { join } from '../../clusters/join.js';\nexport const carryOut = [approve, join];\n",
  'libs/lifecycle/src/rollouts/controller/decide.ts':
    "import { place } from '../assignments/place.js';\nexport const decide = [place];\n",
  'libs/platform/src/membership/clusters.ts': 'export const clusters = 1;\n',
  'libs/testing/src/c/twin.ts': "import { adapter } from '#platform/files/adapter';\nexport const twin = [adapter];\n",
  'apps/applier/src/applier.ts': "import { pass } from '#lifecycle/engine/pass';\nexport const applier = [pass];\n",
  'apps/applier/src/applier.spec.ts': "import { twin } from '#testing/c/twin';\nexport const tested = twin;\n",
  'apps/catalog-poller/src/poller.ts': "import { value } from '#core/a/value';\nexport const poller = [value];\n",
  'apps/cli/src/commands/up/all-services.ts':
    "import { applier } from '../../../../applier/src/applier.js';\nexport const up = [applier];\n",
  'libs/core/src/view/rows/rows.ts': 'export const rows = 1;\n',
  'apps/console/src/api/answer.ts':
    "import { rows } from '#core/view/rows/rows';\nexport type Answer = typeof rows;\nexport const answer = rows;\n",
  'apps/console/web/page.ts':
    "import { h } from 'preact';\nimport type { Answer } from '../src/api/answer.js';\nexport const page = (answer: Answer) => h('p', null, answer);\n",
  'libs/core/src/rollout/simulation/world.ts': 'export const world = 1;\n',
  'apps/cli/src/commands/fleet/simulate/rehearse.ts': "import '#core/rollout/simulation/world';\n",
  'apps/cli/src/commands/demo/demo.ts': "import { twin } from '#testing/c/twin';\nexport const demo = [twin];\n",
};

const breaches: readonly (readonly [rule: string, path: string, source: string, why: string])[] = [
  ['core-is-pure', 'libs/core/src/bad/platform.ts', "import '#platform/files/adapter';\n", 'core knows no adapter'],
  [
    'core-is-pure',
    'libs/core/src/bad/by-path.ts',
    "import '../../../platform/src/files/adapter.js';\n",
    'nor by its path',
  ],
  [
    'core-is-pure',
    'libs/core/src/bad/type.ts',
    "import type { adapter } from '#platform/files/adapter';\nexport type A = typeof adapter;\n",
    'nor its types',
  ],
  ['core-has-no-io', 'libs/core/src/bad/files.ts', "import 'node:fs';\n", 'core reads no file'],
  ['core-has-no-io', 'libs/core/src/bad/late.ts', "export const late = () => import('node:http');\n", 'not even late'],
  ['core-no-io-library', 'libs/core/src/bad/redis.ts', "import 'ioredis';\n", 'core talks to nobody'],
  [
    'platform-below-lifecycle',
    'libs/platform/src/bad/app.ts',
    "import '../../../../apps/applier/src/applier.js';\n",
    'adapters know no app',
  ],
  [
    'simulation-is-played-alone',
    'libs/lifecycle/src/rollouts/bad/rehearsal.ts',
    "import '#core/rollout/simulation/world';\n",
    'what works on clusters plays no rehearsal',
  ],
  [
    'simulation-is-played-alone',
    'libs/core/src/rollout/bad/rehearsal.ts',
    "import type { world } from '../simulation/world.js';\nexport type World = typeof world;\n",
    'nor do its rules',
  ],
  ['platform-below-lifecycle', 'libs/platform/src/bad/twin.ts', "import '#testing/c/twin';\n", 'nor what tests need'],
  [
    'platform-below-lifecycle',
    'libs/platform/src/bad/engine.ts',
    "import '#lifecycle/engine/pass';\n",
    'adapters know no engine',
  ],
  ['platform-floors', 'libs/platform/src/files/bad.ts', "import '../telemetry/log.js';\n", 'a file has no log'],
  [
    'platform-floors',
    'libs/platform/src/telemetry/bad.ts',
    "import type { queue } from '../queue/queue.js';\nexport type Queue = typeof queue;\n",
    'a metric has no type of a queue',
  ],
  [
    'platform-floors',
    'libs/platform/src/registry/client/bad.ts',
    "import '../registry.js';\n",
    'a subfolder does not import its parent',
  ],
  [
    'platform-floors',
    'libs/platform/src/queue/bad.ts',
    "export const late = () => import('../fleet/fleet.js');\n",
    'folders of one floor have an order',
  ],
  [
    'platform-folders',
    'libs/platform/src/service/bad.ts',
    "import '../attic/box.js';\n",
    'a new folder takes its place in the list',
  ],
  [
    'no-type-cycles',
    'libs/platform/src/store/egg.ts',
    "import type { hen } from './hen.js';\nexport type Egg = typeof hen;\n",
    'types make circles, too',
  ],
  ['lifecycle-below-apps', 'libs/lifecycle/src/bad/twin.ts', "import '#testing/c/twin';\n", 'no twin in the engine'],
  [
    'lifecycle-below-apps',
    'libs/lifecycle/src/bad/app.ts',
    "import '../../../../apps/applier/src/applier.js';\n",
    'the engine knows no app',
  ],
  [
    'engine-passes-are-lowest',
    'libs/lifecycle/src/engine/passes/bad.ts',
    "import '../caches/cache.js';\n",
    'a pass reads what it is given',
  ],
  [
    'engine-caches-below-membership',
    'libs/lifecycle/src/engine/caches/bad.ts',
    "import '../membership/member.js';\n",
    'a cache is of one cluster',
  ],
  [
    'contents-below-catalogs',
    'libs/lifecycle/src/catalogs/contents/bad.ts',
    "import '../sources/source.js';\n",
    'content is content',
  ],
  [
    'sources-apart-from-cluster-catalogs',
    'libs/lifecycle/src/catalogs/sources/bad.ts',
    "import '../cluster-catalogs/served.js';\n",
    'Classic has its own catalogs',
  ],
  [
    'cluster-catalogs-apart-from-sources',
    'libs/lifecycle/src/catalogs/cluster-catalogs/bad.ts',
    "import '../sources/source.js';\n",
    'and v1 has its own',
  ],
  [
    'namespaces-below-stages',
    'libs/lifecycle/src/classic/namespaces/bad.ts',
    "import '../bundles/bundle.js';\n",
    'the input of a stage is no stage',
  ],
  [
    'namespaces-below-stages',
    'libs/lifecycle/src/classic/namespaces/wiring.ts',
    "import '../stages.js';\n",
    'nor their order',
  ],
  [
    'stages-know-no-wiring',
    'libs/lifecycle/src/classic/subscriptions/bad.ts',
    "import '../stages.js';\n",
    'a stage does not order the others',
  ],
  [
    'bundles-below-plans',
    'libs/lifecycle/src/classic/bundles/bad.ts',
    "import '../install-plans/plan.js';\n",
    'a bundle knows no plan',
  ],
  [
    'plans-below-subscriptions',
    'libs/lifecycle/src/classic/install-plans/bad.ts',
    "import '../subscriptions/resolution.js';\n",
    'a plan is carried out as it is',
  ],
  [
    'extensions-below-revisions',
    'libs/lifecycle/src/v1/extensions/bad.ts',
    "import '../revisions/revision.js';\n",
    'what is read decides nothing',
  ],
  [
    'extensions-below-revisions',
    'libs/lifecycle/src/v1/extensions/pass.ts',
    "import '../reconcile-extension.js';\n",
    'nor runs the pass',
  ],
  [
    'revisions-below-desired',
    'libs/lifecycle/src/v1/revisions/bad.ts',
    "import '../desired/wanted.js';\n",
    'a revision is carried out as it is',
  ],
  [
    'clusters-below-rollouts',
    'libs/lifecycle/src/clusters/bad.ts',
    "import type { place } from '../rollouts/assignments/place.js';\nexport type P = typeof place;\n",
    'one cluster knows no rollout',
  ],
  [
    'previews-below-assignments',
    'libs/lifecycle/src/rollouts/previews/bad.ts',
    "import '../assignments/place.js';\n",
    'a preview is asked for',
  ],
  [
    'assignments-below-both',
    'libs/lifecycle/src/rollouts/assignments/bad.ts',
    "import '../controller/decide.js';\n",
    'an assignment decides nothing',
  ],
  [
    'orders-decide-nothing',
    'libs/lifecycle/src/rollouts/orders/bad.ts',
    "import '../controller/decide.js';\n",
    'who carries out does not decide',
  ],
  [
    'places-below-orders',
    'libs/lifecycle/src/rollouts/orders/place/bad.ts',
    "import '../subject/marks.js';\n",
    'a place has no order',
  ],
  [
    'places-below-orders',
    'libs/lifecycle/src/rollouts/orders/place/wiring.ts',
    "import '../carry-out.js';\n",
    'nor who carries it out',
  ],
  [
    'subjects-below-orders',
    'libs/lifecycle/src/rollouts/orders/subject/bad.ts',
    "import '../classic/approve.js';\n",
    'a mark is of any subject',
  ],
  [
    'subjects-below-orders',
    'libs/lifecycle/src/rollouts/orders/review/bad.ts',
    "import '../v1/pin.js';\n",
    'a review writes nothing',
  ],
  [
    'subjects-apart-from-review',
    'libs/lifecycle/src/rollouts/orders/subject/reviewed.ts',
    "import '../review/plans.js';\n",
    'a mark is no review',
  ],
  [
    'orders-of-classic-stay-apart',
    'libs/lifecycle/src/rollouts/orders/classic/bad.ts',
    "import '../v1/pin.js';\n",
    'Classic has its own orders',
  ],
  [
    'orders-of-classic-stay-apart',
    'libs/lifecycle/src/rollouts/orders/classic/wiring.ts',
    "import '../carry-out.js';\n",
    'and is carried out from above',
  ],
  [
    'orders-of-v1-stay-apart',
    'libs/lifecycle/src/rollouts/orders/v1/bad.ts',
    "import '../classic/approve.js';\n",
    'so has v1',
  ],
  [
    'orders-of-catalogs-stay-apart',
    'libs/lifecycle/src/rollouts/orders/catalog/bad.ts',
    "import '../classic/approve.js';\n",
    'so have catalogs',
  ],
  [
    'controller-touches-no-cluster',
    'libs/lifecycle/src/rollouts/controller/bad.ts',
    "import '../orders/carry-out.js';\n",
    'who decides does not carry out',
  ],
  [
    'controller-knows-no-kubeconfig',
    'libs/lifecycle/src/rollouts/controller/reach.ts',
    "import type { clusters } from '#platform/membership/clusters';\nexport type C = typeof clusters;\n",
    'nor reaches a cluster',
  ],
  ['core-is-pure', 'libs/core/src/bad/engine.ts', "import '#lifecycle/engine/pass';\n", 'core knows no engine'],
  [
    'kernel-is-lowest',
    'libs/core/src/kernel/bad.ts',
    "import '../catalog/bundle.js';\n",
    'the kernel knows no catalog',
  ],
  [
    'catalog-below-lifecycles',
    'libs/core/src/catalog/bad.ts',
    "import '../classic/plan.js';\n",
    'catalogs know no lifecycle',
  ],
  ['classic-apart-from-v1', 'libs/core/src/classic/bad.ts', "import '../v1/revision.js';\n", 'Classic knows no v1'],
  ['v1-apart-from-classic', 'libs/core/src/v1/bad.ts', "import '../classic/plan.js';\n", 'v1 knows no Classic'],
  [
    'v1-apart-from-classic',
    'libs/core/src/v1/high.ts',
    "import '../cluster/finding.js';\n",
    'nor what concerns a cluster',
  ],
  [
    'cluster-below-rollout',
    'libs/core/src/cluster/bad.ts',
    "import type { world } from '../rollout/simulation/world.js';\nexport type World = typeof world;\n",
    'one cluster knows no rollout',
  ],
  ['rollout-below-view', 'libs/core/src/rollout/bad.ts', "import '../view/rows/rows.js';\n", 'rollouts know no rows'],
  [
    'testing-below-apps',
    'libs/testing/src/bad/app.ts',
    "import '../../../../apps/applier/src/applier.js';\n",
    'the simulator serves all apps',
  ],
  [
    'apps-stay-apart',
    'apps/applier/src/bad/poller.ts',
    "import '../../../catalog-poller/src/poller.js';\n",
    'services speak through Redis',
  ],
  [
    'apps-stay-apart',
    'apps/cli/src/hub/poller.ts',
    "import '../../../catalog-poller/src/poller.js';\n",
    'the command wires services in one module',
  ],
  [
    'command-floors',
    'apps/cli/src/output/bad.ts',
    "import '../commands/demo/demo.js';\n",
    'what every verb prints with knows no verb',
  ],
  [
    'command-floors',
    'apps/cli/src/hub/clusters.ts',
    "import type { Room } from '../preview/room.js';\nexport type Other = Room;\n",
    'nor do lower folders know higher ones by their types',
  ],
  [
    'command-floors',
    'apps/cli/src/commands/demo/words.ts',
    "import '../../program.js';\n",
    'verbs do not know the program that starts them',
  ],
  [
    'pages-take-types',
    'apps/console/web/bad/server.ts',
    "import type { server } from '../../src/server.js';\nexport type S = typeof server;\n",
    'pages know the API alone',
  ],
  [
    'pages-take-types',
    'apps/console/web/bad/core.ts',
    "import '#core/catalog/bundle';\n",
    'rules of core run on the server',
  ],
  [
    'pages-take-no-values',
    'apps/console/web/bad/schema.ts',
    "import { answer } from '../../src/api/answer.js';\nexport const bad = [answer];\n",
    'schemas bring zod along',
  ],
  ['pages-take-few-packages', 'apps/console/web/bad/zod.ts', "import 'zod';\n", 'five packages, measured'],
  ['pages-are-for-browsers', 'apps/console/src/bad.ts', "import '../web/page.js';\n", 'the server runs no page'],
  ['testing-is-for-tests', 'apps/applier/src/bad/twin.ts', "import '#testing/c/twin';\n", 'no twin in production'],
  ['testing-is-for-tests', 'apps/cli/src/up-twin.ts', "import '#testing/c/twin';\n", 'the demo alone may'],
  [
    'no-cycles',
    'libs/core/src/bad/egg.ts',
    "import { hen } from './hen.js';\nexport const egg = () => hen;\n",
    'who is first?',
  ],
  ['resolvable', 'apps/applier/src/bad/lost.ts', "import '#core/a/lost';\n", 'what is not found is not checked'],
];
const beside: Readonly<Record<string, string>> = {
  'apps/console/src/server.ts': 'export const server = 1;\n',
  'apps/cli/src/program.ts': 'export const program = 1;\n',
  'apps/cli/src/preview/room.ts': 'export type Room = 1;\n',
  'libs/platform/src/attic/box.ts': 'export const box = 1;\n',
  'libs/platform/src/store/hen.ts': "import type { Egg } from './egg.js';\nexport const hen: Egg[] = [];\n",
  'libs/core/src/bad/hen.ts': "import { egg } from './egg.js';\nexport const hen = () => egg;\n",
};

const trees: string[] = [];
async function plant(files: Readonly<Record<string, string>>): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), 'flotilla-rule-'));
  trees.push(tree);
  for (const name of [RULES, FOLDERS, 'package.json', 'tsconfig.json']) {
    await copyFile(join(root, name), join(tree, name));
  }
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
  for (const [path, source] of Object.entries(files)) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), source);
  }
  return tree;
}
afterAll(() => Promise.all(trees.map((tree) => rm(tree, { recursive: true, force: true, maxRetries: 5 }))));

describe('the checker of the import rule', () => {
  it('finds nothing in a tree that keeps the rule', async () => {
    expect(await check(await plant(sound))).toMatchObject({ code: 0, broken: [] });
  });

  describe('in a tree with one breach of each kind', () => {
    let broken: readonly string[] = [];
    let code = 0;
    beforeAll(async () => {
      const planted = Object.fromEntries(breaches.map(([, path, source]) => [path, source]));
      ({ broken, code } = await check(await plant({ ...sound, ...beside, ...planted })));
    });

    it.each(breaches)('%s is named for %s', (rule, path) => {
      expect(broken).toContain(`${path} ${rule}`);
    });

    it('fails, and names no other module', () => {
      expect(code).toBeGreaterThan(0);
      const accused = new Set(broken.map((line) => line.split(' ')[0]));
      const guilty = [...breaches.map(([, path]) => path), ...Object.keys(beside)];
      expect([...accused].filter((path) => path !== undefined && !guilty.includes(path))).toEqual([]);
    });
  });
});

describe('the checker of folders', () => {
  const importing = (...names: string[]) => `${names.map((name) => `import '${name}';\n`).join('')}export {};\n`;
  const accused = async (files: Readonly<Record<string, string>>) => {
    const { code, broken } = await check(await plant({ ...sound, ...files }), FOLDERS);
    expect(code).toBe(broken.length);
    return broken.map((line) => line.replace(/ no-folder-cycles$/, ''));
  };
  const cycles = [
    {
      what: 'two folders that import each other by different files',
      files: {
        'libs/core/src/v1/hen/hen.ts': importing('../egg/egg.js'),
        'libs/core/src/v1/egg/egg.ts': importing(),
        'libs/core/src/v1/egg/shell.ts': importing('../hen/feather.js'),
        'libs/core/src/v1/hen/feather.ts': importing(),
      },
      folders: ['libs/core/src/v1/egg', 'libs/core/src/v1/hen'],
    },
    {
      what: 'a cycle of three, closed by a type',
      files: {
        'libs/lifecycle/src/engine/a/a.ts': importing('../b/b.js'),
        'libs/lifecycle/src/engine/b/b.ts': importing('../c/c.js'),
        'libs/lifecycle/src/engine/c/c.ts': "import type { d } from '../a/d.js';\nexport type C = typeof d;\n",
        'libs/lifecycle/src/engine/a/d.ts': 'export const d = 1;\n',
      },
      folders: ['libs/lifecycle/src/engine/a', 'libs/lifecycle/src/engine/b', 'libs/lifecycle/src/engine/c'],
    },
    {
      what: 'a cycle by what lies in a subfolder',
      files: {
        'apps/applier/src/hen/feather/feather.ts': importing('../../egg/egg.js'),
        'apps/applier/src/egg/egg.ts': importing('../hen/hen.js'),
        'apps/applier/src/hen/hen.ts': importing(),
      },
      folders: ['apps/applier/src/egg', 'apps/applier/src/hen'],
    },
  ];
  let found: readonly string[] = [];
  beforeAll(async () => {
    found = await accused(Object.assign({}, ...cycles.map(({ files }) => files)));
  });

  it('finds nothing in a tree without cycles, whatever specs and fixtures import', async () => {
    const files = {
      'libs/core/src/kernel/name.spec.ts': importing('../catalog/bundle.js'),
      'libs/core/src/kernel/name.fixture.ts': importing('../catalog/bundle.js'),
    };
    expect(await accused(files)).toEqual([]);
  });

  it.each(cycles)('names $what', ({ folders }) => {
    expect(found).toEqual(expect.arrayContaining(folders));
  });

  it('names no other folder', () => {
    expect(found).toEqual(cycles.flatMap(({ folders }) => folders).toSorted());
  });
});
