import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { utf8 } from '../bundles/bundle-draft.js';
import type { CorpusCase } from '../corpus-case.js';
import { CaseFiles, writeTo } from './case-files.js';
import { type CommandEnd, flotilla } from './commands.js';
import { CorpusHub, GLOBAL } from './corpus-hub.js';
import { ExtensionHub } from './extension-hub.js';
import { type Finding, finding } from './finding.js';
import { judgeCatalogRender } from './judge-catalog.js';
import { judgeLength, judgePlan, judgeRender, judgeValidate } from './judge-commands.js';
import { judgeExtension, judgeExtensionInstall } from './judge-extension.js';
import { hasEnded, judgeInstall } from './judge-install.js';
import { catalogNamespaceOf, catalogSource, namespaceOf, subscription, wantedObjects } from './wanted-objects.js';
import { Hung, watched } from './watchdog.js';

export type PlayOptions = Readonly<{
  /** Cases that share a cluster. */
  together?: number;
  /** Installs each n-th bundle through OLM v1, too; 0, the default: none. */
  extensionsEach?: number;
  /** Called after each cluster. */
  onProgress?: (done: number, findings: readonly Finding[]) => void;
}>;

const TOGETHER = 25;
/** On the clock of the hub: longer than all pauses of a plan that fails and of a catalog that is retried. */
const INSTALL_MS = 120_000;
const HUNG_AFTER_MS = 300_000;

/** Validates, renders, plans and installs every case. Returns the findings. */
export async function playCorpus(cases: readonly CorpusCase[], options: PlayOptions = {}): Promise<Finding[]> {
  const { together = TOGETHER, extensionsEach = 0, onProgress = () => undefined } = options;
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-corpus-'));
  const registry = await startRegistry();
  const files = new CaseFiles(folder, registry);
  const findings: Finding[] = [];
  try {
    for (let from = 0; from < cases.length; from += together) {
      const found = await playTogether(cases.slice(from, from + together), files, extensionsEach);
      findings.push(...found);
      onProgress(Math.min(from + together, cases.length), found);
    }
    return findings;
  } finally {
    await registry.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Plays cases that share a cluster. */
async function playTogether(
  cases: readonly CorpusCase[],
  files: CaseFiles,
  extensionsEach: number,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const one of cases) {
    await files.write(one);
    findings.push(...(await askAbout(one, await questions(one, files))));
  }
  const asExtensions = cases.filter((one) => one.catalog === undefined && one.number % extensionsEach === 0);
  if (asExtensions.length > 0) findings.push(...(await playExtensions(asExtensions, files)));
  return [...findings, ...(await install(cases, files))];
}

/** Installs of the bundles by OLM v1, in a cluster of their own. */
async function playExtensions(cases: readonly CorpusCase[], files: CaseFiles): Promise<Finding[]> {
  const findings: Finding[] = [];
  const hub = await ExtensionHub.start();
  try {
    for (const one of cases) {
      const render = ['bundle', 'render', files.bundleImage(one), '-o', 'json'];
      let end: CommandEnd | undefined;
      const asked: Asked = [
        render,
        (given) => {
          end = given;
          return judgeExtension(one, given);
        },
      ];
      findings.push(...(await askAbout(one, [asked])));
      if (end !== undefined) findings.push(...(await installExtension(one, end, hub, files)));
    }
    return findings;
  } finally {
    hub.stop();
  }
}

async function installExtension(
  one: CorpusCase,
  render: CommandEnd,
  hub: ExtensionHub,
  files: CaseFiles,
): Promise<Finding[]> {
  try {
    const work = hub.install(one, files.bundleImage(one));
    return judgeExtensionInstall(one, render, await watched('the extension', HUNG_AFTER_MS, work), hub.cluster);
  } catch (error) {
    if (error instanceof Hung) return [finding(one, 'hang', 'extension', error.message)];
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [finding(one, 'crash', 'extension', text)];
  }
}

type Asked = readonly [args: readonly string[], judge: (end: CommandEnd) => Finding[]];

/** Asks the commands about a case, as its author would. */
async function askAbout(one: CorpusCase, asked: readonly Asked[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [args, judge] of asked) {
    const found = await judged(one, args, judge);
    findings.push(...found);
    // The others would wait for the same.
    if (found.some(({ about }) => about === 'hang')) break;
  }
  return findings;
}

/** No command reads a catalog from a ConfigMap. */
async function questions(one: CorpusCase, files: CaseFiles): Promise<readonly Asked[]> {
  if (one.catalog?.kind === 'configMap') return [];
  const manifest = files.path(one, 'subscription.json');
  await writeTo(manifest, utf8(JSON.stringify(subscription(one))));
  const [bundle, catalog] = [files.bundleReference(one), files.catalogReference(one)];
  const named = `${catalogNamespaceOf(one)}/corpus=${catalog}`;
  const plan: Asked = [['plan', '--catalog', named, '-f', manifest, '--pull'], (end) => judgePlan(one, end)];
  if (one.catalog !== undefined) {
    const draft = one.catalog;
    return [
      [['catalog', 'validate', catalog], (end) => judgeValidate(one, end)],
      [['catalog', 'render', catalog], (end) => judgeCatalogRender(one, draft, end)],
      plan,
    ];
  }
  return [
    [['bundle', 'validate', bundle], (end) => judgeValidate(one, end)],
    [['catalog', 'render', bundle], (end) => judgeRender(one, end)],
    plan,
  ];
}

async function judged(one: CorpusCase, args: readonly string[], judge: Asked[1]): Promise<Finding[]> {
  const at = args.slice(0, args[0] === 'plan' ? 1 : 2).join(' ');
  try {
    const end = await flotilla(args);
    return [
      ...judge(end),
      ...(at === 'bundle validate' ? judgeLength(one, at, end.err.split('\n'), args[2] ?? '') : []),
    ];
  } catch (error) {
    if (error instanceof Hung) return [finding(one, 'hang', at, error.message)];
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [finding(one, 'crash', at, text)];
  }
}

/** Installs the cases in a cluster of their own. */
async function install(cases: readonly CorpusCase[], files: CaseFiles): Promise<Finding[]> {
  const hub = await CorpusHub.start();
  try {
    const shared = cases.filter(({ catalog }) => catalog === undefined);
    const image = files.offerAll(`corpus:v${cases[0]?.number}`, shared);
    hub.cluster.create(catalogSource(GLOBAL, { sourceType: 'grpc', image }));
    for (const object of cases.flatMap((one) => wantedObjects(one, files.catalogImage(one))))
      hub.cluster.create(object);
    const pending = new Set(cases);
    const settled = () => {
      for (const one of pending) if (hasEnded(hub.cluster, one)) pending.delete(one);
      return pending.size === 0;
    };
    await watched('the installs', HUNG_AFTER_MS, hub.until(settled, INSTALL_MS));
    return [...cases.flatMap((one) => judgeInstall(hub.cluster, one)), ...failedJobs(hub, cases)];
  } catch (error) {
    const [first] = cases;
    if (!(error instanceof Hung) || first === undefined) throw error;
    return [finding({ number: first.number, oddities: [] }, 'hang', 'install', error.message)];
  } finally {
    await hub.stop();
  }
}

/** Names jobs that failed with an exception in place of a verdict. */
function failedJobs({ logged }: CorpusHub, cases: readonly CorpusCase[]): Finding[] {
  const seen = new Set<string>();
  return logged.flatMap(({ level, fields, message }) => {
    const text = `${message}: ${JSON.stringify(fields)}`;
    const one = cases.find((of) => text.includes(namespaceOf(of)));
    const key = `${one?.number} ${fields['error'] ?? message}`;
    const isJob = /^job failed/.test(message) || level === 'error';
    if (seen.has(key) || !isJob) return [];
    seen.add(key);
    return [finding(one ?? { number: 0, oddities: [] }, 'crash', 'install', text)];
  });
}
