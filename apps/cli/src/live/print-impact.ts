import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { type Columns, table } from '../commands/catalog-table.js';
import type { CatalogImpact } from './catalog-impact.js';

/** Equal impacts on several Subscriptions. */
type ImpactClass = Readonly<{ impact: CatalogImpact; clusters: number; namespaces: number; sample: string }>;

const ORDER = ['breaks', 'held', 'upgrades', 'stays', 'unchanged'];

/** Equal impacts, what breaks first, then those on most Subscriptions. */
function classesOf(impacts: readonly CatalogImpact[]): ImpactClass[] {
  const groups = Map.groupBy(impacts, (one) =>
    JSON.stringify([one.effect, one.package, one.channel, one.from, one.hops, one.message]),
  );
  return [...groups.values()]
    .flatMap((own) => {
      const [impact] = own;
      if (impact === undefined) return [];
      const clusters = new Set(own.map(({ cluster }) => cluster)).size;
      return [{ impact, clusters, namespaces: own.length, sample: `${impact.namespace} of ${impact.cluster}` }];
    })
    .sort(
      (a, b) =>
        ORDER.indexOf(a.impact.effect) - ORDER.indexOf(b.impact.effect) ||
        b.namespaces - a.namespaces ||
        byCodeUnit(a.impact.package + a.impact.from, b.impact.package + b.impact.from),
    );
}

const COLUMNS: Columns<ImpactClass> = [
  ['EFFECT', ({ impact }) => impact.effect],
  ['PACKAGE', ({ impact }) => impact.package],
  ['CHANNEL', ({ impact }) => impact.channel],
  ['FROM', ({ impact }) => impact.from || '-'],
  ['TO', ({ impact }) => impact.to || '-'],
  ['HOPS', ({ impact }) => String(impact.hops.length)],
  ['CLUSTERS', ({ clusters }) => String(clusters)],
  ['NAMESPACES', ({ namespaces }) => String(namespaces)],
];

/** What a catalog would do, for people: a row for equal impacts, then why some break or are held. */
export function impactText(impacts: readonly CatalogImpact[], width: number | undefined): string {
  if (impacts.length === 0) return 'No Subscription uses the catalog: nothing would change.\n';
  const classes = classesOf(impacts);
  const reasons = classes
    .filter(({ impact }) => impact.effect === 'breaks' || impact.effect === 'held')
    .map(({ impact, namespaces, sample }) => {
      const more = namespaces > 1 ? ` and ${namespaces - 1} more` : '';
      return `\n${impact.package} ${impact.effect} in ${sample}${more}:\n  ${impact.message.replaceAll('\n', '\n  ')}\n`;
    });
  return `${table(classes, COLUMNS, width)}${reasons.join('')}`;
}
