import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

/**
 * Calls that throw on data of another form: zod's `parse`, `JSON.parse`, readers of YAML, the URL parser and
 * zlib. Data that others wrote is read into a value or a verdict: by `readForeign`, by `safeParse`, or in a
 * `try` of the function that owns it (decision 0494). `JSON.parse(JSON.stringify())` copies what is our own.
 */
const THROWERS: readonly RegExp[] = [
  /(?<![\w.$])JSON\.parse\((?!JSON\.stringify)/,
  /(?<!\b(?:JSON|Date|URL|requests))\.parse\(/,
  /(?<![\w.$#]|function )(?:load|loadAll|loadFirstDocument|readGoYaml)\(\w/,
  /\bnew URL\(/,
  /\bdecodeURI(?:Component)?\(/,
  /\b(?:gunzip|inflate|inflateRaw|unzip|brotliDecompress|zstdDecompress)Sync\(/,
];

const OWN = {
  settings: 'settings of the operator of the hub: a bad one ends the start, and names itself',
  made: 'an object that this code has just made',
  shipped: 'a file of this release',
  redis: 'a value that another service of this release wrote; the contract says what becomes of others',
  content: 'content that the poller wrote after it had read it',
  apiServer: 'an answer about a kind of the API server itself; another one is an outage, told as such',
  checked: 'checked on the line before',
  caught: 'its only caller catches it, and says where the text comes from',
} as const;

/** Calls outside of a `try`, by file: how many, and why none of them can throw past its owner. */
const ALLOWED: Readonly<Record<string, readonly [calls: number, because: string]>> = {
  'apps/cli/src/commands/hub/console.command.ts': [1, OWN.settings],
  'apps/cli/src/commands/demo/environment/bundle-annotations.ts': [1, OWN.shipped],
  'apps/cli/src/commands/demo/fleet/demo-receiver.ts': [1, OWN.made],
  'apps/cli/src/commands/demo/fleet/fleet-objects.ts': [4, OWN.made],
  'apps/cli/src/commands/demo/fleet/lighthouse.ts': [2, OWN.shipped],
  'apps/cli/src/commands/demo/scenario.ts': [2, OWN.shipped],
  'apps/cli/src/commands/fleet/decide/decide.ts': [1, OWN.made],
  'apps/cli/src/commands/clusters/handover/handover-record.ts': [1, 'a schema with a value for everything else'],
  'apps/cli/src/hub/console-page.ts': [1, OWN.settings],
  'apps/cli/src/hub/probe-hub.ts': [1, OWN.checked],
  'apps/console/src/routes/catalog.routes.ts': [3, OWN.redis],
  'apps/console/src/routes/question.routes.ts': [3, OWN.redis],
  'apps/console/src/audit/audit-log.ts': [2, OWN.made],
  'apps/console/src/serve/public-address.ts': [1, OWN.settings],
  'apps/console/src/sign-in/account-sign-in.ts': [1, 'a cookie that the console itself has sealed'],
  'apps/console/src/sign-in/issuer.ts': [3, OWN.settings],
  'libs/core/src/catalog/load/grpc-bundle.ts': [3, 'recordsOfGrpc leaves the bundle out, and says so'],
  'libs/core/src/catalog/load/package-records.ts': [1, OWN.made],
  'libs/core/src/catalog/metas/blob-meta.ts': [1, OWN.content],
  'libs/core/src/catalog/model/cel/cel-expression.ts': [2, 'within attempt(), which gives the error as a value'],
  'libs/core/src/catalog/model/indexed-package.ts': [1, OWN.content],
  'libs/core/src/catalog/read/yaml/first-document.ts': [
    1,
    'throws YamlError, which every reader turns into a BlobError',
  ],
  'libs/core/src/classic/csv/deployments/install-deployments.ts': [1, OWN.made],
  'libs/core/src/rollout/placement/waves.ts': [2, OWN.made],
  'libs/core/src/rollout/simulation/scenario-schema.ts': [1, OWN.made],
  'libs/lifecycle/src/catalogs/contents/catalog-reader.ts': [1, OWN.shipped],
  'libs/lifecycle/src/catalogs/contents/image-contents.ts': [1, OWN.content],
  'libs/lifecycle/src/catalogs/shared-loads.ts': [1, 'another function of that name'],
  'libs/lifecycle/src/classic/bundles/bundle-contents.ts': [1, OWN.content],
  'libs/core/src/kernel/signatures/signature-policy.ts': [1, OWN.checked],
  'libs/lifecycle/src/classic/install-plans/is-allowed.ts': [1, OWN.apiServer],
  'libs/lifecycle/src/classic/package-manifests/head-csvs.ts': [3, OWN.content],
  'libs/lifecycle/src/fleet/console/readable-content.ts': [1, OWN.content],
  'libs/lifecycle/src/rollouts/orders/review/extension-review.ts': [1, OWN.made],
  'libs/lifecycle/src/solve/solver-pool.ts': [1, OWN.shipped],
  'libs/lifecycle/src/v1/extensions/read-content.ts': [1, OWN.caught],
  'libs/platform/src/config/setting.ts': [2, OWN.settings],
  'libs/platform/src/config/settings.ts': [1, OWN.settings],
  'libs/platform/src/console/proof/token-issuer.ts': [3, OWN.caught],
  'libs/platform/src/files/build-info.ts': [1, OWN.shipped],
  'libs/platform/src/fleet/folder/folder-visitor.ts': [1, OWN.made],
  'libs/platform/src/fleet/http-gates.ts': [1, OWN.caught],
  'libs/platform/src/http/token-reviewer.ts': [2, OWN.apiServer],
  'libs/platform/src/service/run-main.ts': [1, OWN.settings],
  'libs/platform/src/joining/fleet-manifests.ts': [1, OWN.shipped],
  'libs/platform/src/joining/missing-rights.ts': [2, OWN.apiServer],
  'libs/platform/src/joining/shipped-manifests.ts': [1, OWN.shipped],
  'libs/platform/src/joining/shipped-rights.ts': [1, OWN.shipped],
  'libs/platform/src/kube/cache/packed-object.ts': [2, OWN.made],
  'libs/platform/src/kube/client/api-requests.ts': [1, 'another function of that name'],
  'libs/platform/src/kube/client/watch-events.ts': [
    3,
    'ends the watch: the reflector lists the kind again, and logs it',
  ],
  'libs/platform/src/clusters/own-shards.ts': [1, OWN.settings],
  'libs/platform/src/peers/peer-requests.ts': [1, OWN.settings],
  'libs/platform/src/queue/bullmq-job-queue.ts': [2, OWN.made],
  'libs/platform/src/queue/memory-job-queue.ts': [1, OWN.made],
  'libs/platform/src/redis/redis-connection.ts': [2, OWN.settings],
  'libs/platform/src/redis/redis-url.ts': [2, OWN.settings],
  'libs/platform/src/registry/grpc/grpc-definitions.ts': [1, OWN.shipped],
  'libs/platform/src/registry/http/http-exchange.ts': [2, OWN.checked],
  'libs/platform/src/registry/image-push.ts': [1, OWN.checked],
  'libs/platform/src/registry/image/layers/default-layers.ts': [1, OWN.shipped],
  'libs/platform/src/outbound/address-kind.ts': [1, 'an address that the resolver of this machine gave'],
  'libs/platform/src/registry/http/registry-auth.ts': [1, OWN.checked],
  'libs/platform/src/registry/http/registry-transport.ts': [1, 'a reference whose host parseImageReference has tried'],
  'libs/platform/src/registry/signatures/verify-keyless.ts': [3, OWN.caught],
  'libs/platform/src/service/run-service.ts': [1, OWN.settings],
  'libs/platform/src/telemetry/tracing/otlp-tracer.ts': [1, OWN.settings],
  'libs/platform/src/view/hub-reporter.ts': [1, OWN.made],
};

const COMMENT = /^\s*(?:\/\/|\/?\*)/;
const indentOf = (line: string): number => line.search(/\S/);

/**
 * Returns lines with such a call outside of every `try` of the file; the formatter indents the content of a
 * `try`.
 */
function unguarded(source: string): readonly string[] {
  const lines = source.split('\n');
  const isEnclosed = (at: number): boolean => {
    let indent = indentOf(lines[at] ?? '');
    for (const line of lines.slice(0, at).toReversed()) {
      const outer = indentOf(line);
      if (outer < 0 || outer >= indent) continue;
      if (/^\s*try \{$/.test(line)) return true;
      indent = outer;
    }
    return false;
  };
  return lines.filter(
    (line, at) => !COMMENT.test(line) && THROWERS.some((thrower) => thrower.test(line)) && !isEnclosed(at),
  );
}

const files = globSync('{libs/{core,platform,lifecycle}/src,apps/*/src}/**/*.ts', { cwd: PROJECT_ROOT })
  .filter((path) => !/\.(?:spec|fixture|d)\.ts$/.test(path))
  .sort();

it.each([
  ['export const read = (value: unknown) => Lamp.parse(value);', 1],
  ['export function read(text: string) {\n  return Lamp.array().parse(JSON.parse(text));\n}', 1],
  ['function read() {\n  try {\n    return Lamp.parse(value);\n  } catch {\n    return undefined;\n  }\n}', 0],
  ['function read() {\n  try {\n    go();\n  } catch {\n    return Lamp.parse(value);\n  }\n}', 1],
  ['const read = () => Lamp.safeParse(value);\nconst at = Date.parse(text);', 0],
  ['// Lamp.parse(value)', 0],
  ['const host = new URL(location).host;\nconst documents = loadAll(text);', 2],
])('a planted call is found: %j', (source, calls) => {
  expect(unguarded(source)).toHaveLength(calls);
});

it('nothing that others wrote can throw past its owner', () => {
  expect(files.length).toBeGreaterThan(1_000);
  const found = new Map(
    files.flatMap((path) => {
      const lines = unguarded(readFileSync(join(PROJECT_ROOT, path), 'utf8')).map((line) => line.trim());
      return lines.length === 0 ? [] : [[path, lines] as const];
    }),
  );
  const unexpected = [...found].filter(([path, lines]) => (ALLOWED[path]?.[0] ?? 0) < lines.length);
  expect(unexpected, 'read it with readForeign, or say in ALLOWED why it cannot throw').toEqual([]);
  const stale = Object.entries(ALLOWED).filter(([path, [calls]]) => found.get(path)?.length !== calls);
  expect(stale, 'these calls are gone: take them out of ALLOWED').toEqual([]);
});
