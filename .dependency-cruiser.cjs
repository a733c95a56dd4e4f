/** The house's import rule (ARCHITECTURE.md): apps → platform → core; testing → platform, core; core imports nothing of ours. */
module.exports = {
  forbidden: [
    { name: 'core-is-pure', severity: 'error', comment: 'libs/core imports nothing of ours', from: { path: '^libs/core/src', pathNot: '\\.spec\\.ts$' }, to: { path: '^(libs/(platform|testing)|apps)/' } },
    { name: 'core-has-no-io', severity: 'error', comment: 'libs/core does no I/O: no Node modules but crypto hashing, no I/O library', from: { path: '^libs/core/src', pathNot: '\\.spec\\.ts$' }, to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer)$' } },
    { name: 'core-no-io-library', severity: 'error', comment: 'libs/core imports pure packages only', from: { path: '^libs/core/src', pathNot: '\\.spec\\.ts$' }, to: { path: 'node_modules/(@nestjs|bullmq|ioredis|@kubernetes|@grpc|pino|prom-client|testcontainers|commander)' } },
    { name: 'platform-below-apps', severity: 'error', comment: 'libs/platform imports core only', from: { path: '^libs/platform/src', pathNot: '\\.spec\\.ts$' }, to: { path: '^(apps|libs/testing)/' } },
    { name: 'testing-below-apps', severity: 'error', comment: 'libs/testing imports platform and core only', from: { path: '^libs/testing/src' }, to: { path: '^apps/' } },
    { name: 'apps-stay-apart', severity: 'error', comment: 'apps never import each other; the cli alone wires all services into one process', from: { path: '^apps/([^/]+)/', pathNot: '^apps/cli/' }, to: { path: '^apps/([^/]+)/', pathNot: '^apps/$1/' } },
    { name: 'testing-is-for-tests', severity: 'error', comment: 'only tests, benchmarks and the demo use libs/testing', from: { path: '^apps/', pathNot: '(\\.spec\\.ts$|^apps/cli/src/demo/)' }, to: { path: '^libs/testing/' } },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    { name: 'resolvable', severity: 'error', comment: 'every import is found', from: {}, to: { couldNotResolve: true, pathNot: '^vitest' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist' },
    parser: 'swc',
    enhancedResolveOptions: { conditionNames: ['flotilla-source', 'import', 'node', 'types', 'default'], extensions: ['.ts', '.js', '.mjs', '.json'] },
  },
};
