import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import type { CorpusCase } from '../corpus-case.js';
import { names, shownNaming } from '../oracle/expected-outcome.js';
import { missingContent } from '../oracle/same-content.js';
import type { CommandEnd } from './commands.js';
import type { ExtensionEnd } from './extension-hub.js';
import { type Finding, finding } from './finding.js';
import { CRASHED, crash } from './judge-commands.js';

type Named = Readonly<{ kind?: unknown; metadata?: Readonly<{ name?: unknown }> }>;

const keyOf = ({ kind, metadata }: Named): string => `${kind} ${metadata?.name}`;

const itemsOf = ({ out }: CommandEnd): KubernetesObject[] => (JSON.parse(out) as { items: KubernetesObject[] }).items;

/**
 * Judges `bundle render`: every object of a bundle besides its CSV in OLM v1, or the reason against it. OLM
 * v1 refuses other bundles than OLM Classic.
 */
export function judgeExtension(of: CorpusCase, end: CommandEnd): Finding[] {
  const at = 'bundle render';
  const found = crash(of, at, end);
  if (found.length > 0) return found;
  if (end.exit !== 0) return end.err === '' ? [finding(of, 'silence', at, 'refused without a word')] : [];
  const rendered = new Set(itemsOf(end).map(keyOf));
  return of.draft.manifests.flatMap(({ path, tree, fate }) => {
    if (fate !== 'applied' || tree['kind'] === 'ClusterServiceVersion') return [];
    const missing = !rendered.has(keyOf(tree as Named));
    return missing ? [finding(of, 'objects', at, `${path} is not among the objects`)] : [];
  });
}

/**
 * Judges an install through OLM v1. Its end equals that of `bundle render`: refused for the same reason, or
 * every object is in the cluster. A cluster may refuse rendered objects; then that is one of the troubles of
 * the case.
 */
export function judgeExtensionInstall(
  of: CorpusCase,
  render: CommandEnd,
  { installed, told }: ExtensionEnd,
  cluster: SimulatedCluster,
): Finding[] {
  const at = 'extension';
  const shown = told.join(' | ');
  if (CRASHED.test(shown)) return [finding(of, 'crash', at, shown)];
  if (render.exit !== 0) {
    const why = reasonOf(render);
    if (installed) return [finding(of, 'verdict', at, `installed; bundle render says ${why}`)];
    return told.some((text) => text.includes(why)) ? [] : [finding(of, 'silence', at, `not ${why}: ${shown}`)];
  }
  const { install, inExtension } = of.expected;
  if (installed && inExtension.length === 0) return missingObjects(of, itemsOf(render), cluster);
  const oneOf = [...inExtension, ...(install.ends === 'installed' ? [] : install.oneOf)];
  const wanted = oneOf.map(shownNaming).join('; ');
  if (installed) return [finding(of, 'verdict', at, `installed; it should name ${wanted}`)];
  if (oneOf.length === 0) return [finding(of, 'verdict', at, `not installed: ${shown}`)];
  const isNamed = oneOf.some((naming) => told.some((text) => names(text, naming)));
  return isNamed ? [] : [finding(of, 'silence', at, `does not name ${wanted}: ${shown}`)];
}

/** The reason in the first line of a refusal. */
const reasonOf = ({ err }: CommandEnd): string => (err.split('\n')[0] ?? '').replace(/^error: /, '');

function missingObjects(of: CorpusCase, wanted: readonly KubernetesObject[], cluster: SimulatedCluster): Finding[] {
  return wanted.flatMap((object) => {
    const { apiVersion, kind, metadata } = object;
    const { name = '', namespace } = metadata;
    const live = cluster.get({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) });
    const title = `${kind} ${name}`;
    if (live === undefined) return [finding(of, 'objects', 'extension', `${title} was never applied`)];
    const missing = missingContent(object, live);
    return missing === undefined ? [] : [finding(of, 'objects', 'extension', `${title}: ${missing}`)];
  });
}
