/**
 * The import rule (ARCHITECTURE.md): apps → lifecycle → platform → core; testing → platform, core; core imports nothing of
 * ours. Inside core: kernel ← catalog ← {classic, v1} ← cluster ← rollout ← view; inside lifecycle: {engine, catalogs, solve} ←
 * {classic, v1} ← clusters ← rollouts/previews ← rollouts/assignments ← {rollouts/controller, rollouts/orders, rollouts/reports} ← fleet.
 * Classic and v1 do not import each other. Inside platform: the list PLATFORM; inside the command: the list COMMAND.
 */
const SPEC = '\\.spec\\.ts$';
const wing = (name, comment, from, to) => ({
  name,
  severity: 'error',
  comment,
  from: { path: `^libs/core/src/${from}/`, pathNot: SPEC },
  to: { path: `^libs/core/src/(${to})/` },
});

/** `to`: folders and modules. */
const floor = (name, comment, from, to) => ({
  name,
  severity: 'error',
  comment,
  from: { path: `^libs/lifecycle/src/(${from})/`, pathNot: '\\.(spec|fixture)\\.ts$' },
  to: { path: `^libs/lifecycle/src/(${to})(/|\\.ts$)` },
});

/**
 * The folders of libs/platform/src, floor by floor from the lowest. A folder imports only folders before it in this list, and types
 * count: so no two folders import each other. A new folder takes its place here.
 */
const PLATFORM = [
  ['clock', 'files', 'fairness', 'debian', 'keys', 'outbound', 'processes', 'processes/threads'],
  ['telemetry', 'telemetry/metrics', 'telemetry/tracing'],
  ['redis', 'redis/local'],
  ['kube/errors', 'kube/transport', 'kube/limits', 'kube/client', 'kube/cloud', 'kube/access', 'kube/cache', 'kube/write'],
  ['content', 'config'],
  ['registry/client', 'registry/logins', 'registry/http', 'registry/mirrors', 'registry/image/tar', 'registry/image/layers', 'registry/image', 'registry/signatures', 'registry/grpc', 'registry'],
  ['store', 'membership', 'ownership', 'joining', 'queue', 'view', 'fleet/objects', 'fleet/folder', 'fleet', 'fleet/receivers'],
  ['http', 'console', 'console/decisions', 'console/proof', 'peers', 'metas', 'hub', 'queue-page', 'clusters', 'service'],
].flat();
const filesOf = (folders) => `^libs/platform/src/(${folders.join('|')})/[^/]+$`;
const platformFloors = PLATFORM.slice(0, -1).map((folder, at) => ({
  name: 'platform-floors',
  severity: 'error',
  comment: 'a folder of libs/platform imports only folders before it in the list PLATFORM',
  from: { path: filesOf([folder]), pathNot: '\\.(spec|fixture)\\.ts$' },
  to: { path: filesOf(PLATFORM.slice(at + 1)) },
}));

/** The folders of apps/cli/src from the lowest; each imports only folders before it, and none imports the program beside them. */
const COMMAND = ['terminal', 'output', 'inputs', 'hub', 'clusters', 'resolution', 'preview', 'commands'];
const ofCommand = (folders) => `^apps/cli/src/(${folders.join('|')})/`;
const commandFloors = COMMAND.map((folder, at) => ({
  name: 'command-floors',
  severity: 'error',
  comment: 'a folder of apps/cli imports only folders before it in the list COMMAND',
  from: { path: ofCommand([folder]), pathNot: '\\.(spec|fixture)\\.ts$' },
  to: { path: ['^apps/cli/src/[^/]+$', ...(at + 1 < COMMAND.length ? [ofCommand(COMMAND.slice(at + 1))] : [])] },
}));

/** Pure folders of core whose code pages may run: they import nothing but themselves. */
const PURE_FOR_PAGES = '^libs/core/src/(catalog/graph/svg/lanes|view/catalog-pages/(graph-lines|graph-texts)|view/questions/(page-paths|operator-chain|running-bundle|offered-decisions|rollout-verdict|compare-classes)|cluster/advice/advice-parts|cluster/advice/command-in|rollout/controller/step/withdrawn|kernel/text/(shell-word|filter-values|label-filter))\\.ts$';

module.exports = {
  forbidden: [
    { name: 'core-is-pure', severity: 'error', comment: 'libs/core imports nothing of ours', from: { path: '^libs/core/src', pathNot: SPEC }, to: { path: '^(libs/(platform|lifecycle|testing)|apps)/' } },
    { name: 'core-has-no-io', severity: 'error', comment: 'libs/core does no I/O: no Node modules but crypto hashing, no I/O library', from: { path: '^libs/core/src', pathNot: [SPEC, '/explain/second-solver\\.ts$'] }, to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer)$' } },
    { name: 'core-no-io-library', severity: 'error', comment: 'libs/core imports pure packages only', from: { path: '^libs/core/src', pathNot: SPEC }, to: { path: 'node_modules/(@nestjs|bullmq|ioredis|@kubernetes|@grpc|pino|prom-client|testcontainers|commander)' } },
    wing('kernel-is-lowest', 'the kernel imports no other wing', 'kernel', 'catalog|classic|v1|cluster|rollout|view'),
    wing('catalog-below-lifecycles', 'catalog imports the kernel only', 'catalog', 'classic|v1|cluster|rollout|view'),
    wing('classic-apart-from-v1', 'OLM Classic imports kernel and catalog', 'classic', 'v1|cluster|rollout|view'),
    wing('v1-apart-from-classic', 'OLM v1 imports kernel and catalog', 'v1', 'classic|cluster|rollout|view'),
    wing('cluster-below-rollout', 'what concerns one cluster knows neither rollouts nor rows', 'cluster', 'rollout|view'),
    wing('rollout-below-view', 'rollouts know no rows', 'rollout', 'view'),
    { name: 'platform-below-lifecycle', severity: 'error', comment: 'libs/platform imports core only', from: { path: '^libs/platform/src', pathNot: SPEC }, to: { path: '^(apps|libs/(lifecycle|testing))/' } },
    ...platformFloors,
    ...commandFloors,
    { name: 'platform-folders', severity: 'error', comment: 'each folder of libs/platform has a place in the list PLATFORM', from: {}, to: { path: '^libs/platform/src/', pathNot: filesOf(PLATFORM) } },
    { name: 'lifecycle-below-apps', severity: 'error', comment: 'libs/lifecycle imports platform and core only', from: { path: '^libs/lifecycle/src', pathNot: '\\.(spec|fixture)\\.ts$' }, to: { path: '^(apps|libs/testing)/' } },
    floor('engine-is-lowest', 'the engine, catalogs and solving know neither of the two lifecycles', 'engine|catalogs|solve', 'classic|v1|clusters|rollouts|fleet'),
    floor('engine-passes-are-lowest', 'a pass stands on nothing else of the engine', 'engine/passes', 'engine/(caches|membership|observation|publishing)'),
    floor('engine-caches-below-membership', 'the cache of one cluster knows no other cluster and no subject that is observed', 'engine/caches', 'engine/(membership|observation|publishing)'),
    floor('contents-below-catalogs', 'how content is read does not depend on the kind of its catalog', 'catalogs/contents', 'catalogs/(sources|cluster-catalogs)'),
    floor('sources-apart-from-cluster-catalogs', 'CatalogSources and ClusterCatalogs share the loop and the contents alone', 'catalogs/sources', 'catalogs/cluster-catalogs'),
    floor('cluster-catalogs-apart-from-sources', 'CatalogSources and ClusterCatalogs share the loop and the contents alone', 'catalogs/cluster-catalogs', 'catalogs/sources'),
    floor('namespaces-below-stages', 'what every stage gets is below all of them', 'classic/namespaces', 'classic/(bundles|csvs|install-plans|operator-groups|operators|subscriptions|stages)'),
    floor('stages-know-no-wiring', 'the order of the stages is above all of them', 'classic/(bundles|csvs|install-plans|operator-groups|operators|subscriptions)', 'classic/stages'),
    floor('bundles-below-plans', 'the content of bundles is below plans and Subscriptions', 'classic/bundles', 'classic/(install-plans|subscriptions)'),
    floor('plans-below-subscriptions', 'the steps of a plan know no resolution', 'classic/install-plans', 'classic/subscriptions'),
    floor('extensions-below-revisions', 'what a pass over a ClusterExtension gets is below what it does', 'v1/extensions', 'v1/(revisions|desired|reconcile-extension)'),
    floor('revisions-below-desired', 'what is done about revisions does not ask which bundle is wanted', 'v1/revisions', 'v1/(desired|reconcile-extension)'),
    floor('classic-passes-apart-from-v1', 'passes of OLM Classic stand on the engine alone', 'classic', 'v1|clusters|rollouts|fleet'),
    floor('v1-passes-apart-from-classic', 'passes of OLM v1 stand on the engine alone', 'v1', 'classic|clusters|rollouts|fleet'),
    floor('clusters-below-rollouts', 'what is done in one cluster knows no rollout', 'clusters', 'rollouts|fleet'),
    floor('previews-below-assignments', 'a preview of a cluster knows neither assignments nor who decides', 'rollouts/previews', 'rollouts/(assignments|controller|orders|reports)|fleet'),
    floor('assignments-below-both', 'what decides and what carries out share the assignments alone', 'rollouts/assignments', 'rollouts/(controller|orders|reports)|fleet'),
    floor('orders-decide-nothing', 'what carries out assignments in clusters never imports what decides', 'rollouts/(orders|reports)', 'rollouts/controller|fleet'),
    floor('places-below-orders', 'what an order is carried out with knows no order', 'rollouts/orders/place', 'rollouts/orders/(subject|review|classic|v1|catalog|[a-z]+-[^/]+)'),
    floor('subjects-below-orders', 'what all orders have in common knows none of them', 'rollouts/orders/(subject|review)', 'rollouts/orders/(classic|v1|catalog|[a-z]+-[^/]+)'),
    floor('subjects-apart-from-review', 'the marks of a subject and the review of its plan stand side by side', 'rollouts/orders/subject', 'rollouts/orders/review'),
    floor('orders-of-classic-stay-apart', 'orders of OLM Classic, OLM v1 and catalogs do not import each other', 'rollouts/orders/classic', 'rollouts/orders/(v1|catalog|[a-z]+-[^/]+)'),
    floor('orders-of-v1-stay-apart', 'orders of OLM Classic, OLM v1 and catalogs do not import each other', 'rollouts/orders/v1', 'rollouts/orders/(classic|catalog|[a-z]+-[^/]+)'),
    floor('orders-of-catalogs-stay-apart', 'orders of OLM Classic, OLM v1 and catalogs do not import each other', 'rollouts/orders/catalog', 'rollouts/orders/(classic|v1|[a-z]+-[^/]+)'),
    floor('controller-touches-no-cluster', 'what decides reaches the hub API alone: no pass, no cluster, nothing that carries out', 'rollouts/controller', 'engine|catalogs|solve|classic|v1|clusters|rollouts/(orders|reports|previews)|fleet'),
    { name: 'controller-knows-no-kubeconfig', severity: 'error', comment: 'what decides has no client of a managed cluster', from: { path: '^libs/lifecycle/src/rollouts/controller/', pathNot: '\\.(spec|fixture)\\.ts$' }, to: { path: '^libs/platform/src/(membership|ownership|joining|kube/(access|cache|transport))/' } },
    { name: 'simulation-is-played-alone', severity: 'error', comment: 'nothing that works on clusters imports the simulation of rollouts: commands play it', from: { path: '^(apps|libs)/', pathNot: ['\\.(spec|fixture)\\.ts$', '^libs/core/src/rollout/simulation/', '^apps/cli/src/'] }, to: { path: '^libs/core/src/rollout/simulation/' } },
    { name: 'testing-below-apps', severity: 'error', comment: 'libs/testing imports platform and core only', from: { path: '^libs/testing/src' }, to: { path: '^(apps|libs/lifecycle)/' } },
    { name: 'apps-stay-apart', severity: 'error', comment: 'apps never import each other; one module of the cli wires all services into one process', from: { path: '^apps/([^/]+)/', pathNot: '^apps/cli/src/commands/up/all-services\\.ts$' }, to: { path: '^apps/([^/]+)/', pathNot: '^apps/$1/' } },
    { name: 'pages-take-types', severity: 'error', comment: 'pages of the console take types from the API of the console and rows of core, nothing else of ours', from: { path: '^apps/console/web/' }, to: { path: '^(apps|libs)/', pathNot: ['^apps/console/web/', '^apps/console/src/api/', '^libs/core/src/view/rows/', PURE_FOR_PAGES] } },
    { name: 'pages-take-no-values', severity: 'error', comment: 'the schemas of the API would bring zod into the pages: types only', from: { path: '^apps/console/web/' }, to: { path: '^(apps/console/src|libs/core/src/view/rows)/', dependencyTypesNot: ['type-only'] } },
    { name: 'pages-take-few-packages', severity: 'error', comment: 'pages have a budget of size: no other package without a measured reason', from: { path: '^apps/console/web/' }, to: { path: 'node_modules/', pathNot: 'node_modules/(preact|@preact/signals|preact-iso|@tanstack/virtual-core|eventsource-parser)/' } },
    { name: 'pages-are-for-browsers', severity: 'error', comment: 'nothing but the build reads the pages', from: { pathNot: '^apps/console/web/' }, to: { path: '^apps/console/web/' } },
    { name: 'testing-is-for-tests', severity: 'error', comment: 'only tests, benchmarks and the demo use libs/testing', from: { path: '^apps/', pathNot: '(\\.spec\\.ts$|^apps/cli/src/commands/demo/)' }, to: { path: '^libs/testing/' } },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    { name: 'no-type-cycles', severity: 'error', comment: 'files do not import each other, types included', from: { path: '^(apps|libs)/' }, to: { circular: true } },
    { name: 'resolvable', severity: 'error', comment: 'every import is found', from: {}, to: { couldNotResolve: true, pathNot: '^vitest' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist' },
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['flotilla-source', 'import', 'node', 'types', 'default'], extensions: ['.ts', '.tsx', '.js', '.mjs', '.json', '.css'] },
  },
};
