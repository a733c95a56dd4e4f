import type { PackageRecord } from '#core/catalog/model/package-record';
import type { CatalogQuestion, QuestionAnswer } from '#core/view/questions/console-question';
import { catalogAnswer, chain, type HeldPackage, heldPackage } from './catalog-content.js';

const HARBOR: PackageRecord = {
  ...{ name: 'harbor-operator', defaultChannel: 'stable', channelDeprecations: { alpha: 'Take the channel stable.' } },
  entries: [
    ...chain('harbor-operator', 'stable', '1.0.9', '1.1.0', '1.2.0', '1.3.0'),
    ...chain('harbor-operator', 'candidate', '1.3.0', '2.0.0'),
    ...chain('harbor-operator', 'alpha', '0.8.0', '0.9.0'),
  ],
};
const one = (name: string, ...versions: readonly string[]): PackageRecord => ({
  ...{ name, defaultChannel: 'stable', entries: chain(name, 'stable', ...versions) },
});
const look = (title: string, provider: string, summary: string, color: string, category: string) => ({
  ...{ title, provider, summary, color, category },
});

/** Packages of catalog olm/flotilla-samples of the pictures. */
const HELD: readonly HeldPackage[] = [
  heldPackage(
    one('backup-operator', '0.4.0'),
    look('Backup', 'Example Ltd', 'Nightly copies of volumes to any store that speaks S3', '#7a4b00', 'Storage'),
  ),
  heldPackage(
    one('etcd', '0.9.2', '0.9.4'),
    look('etcd', 'CNCF', 'A key-value store that several machines keep in step', '#00589b', 'Database'),
  ),
  heldPackage(
    HARBOR,
    look('Harbor', 'Example Ltd', 'Berths, cranes and pilots for ships of any size', '#a61b1b', 'Networking'),
  ),
  heldPackage(
    one('lamp-operator', '1.9.0', '2.1.0'),
    look('Lamp', 'Example Ltd', 'Light for harbors', '#9a3412', 'Networking'),
  ),
  heldPackage(
    one('lighthouse-operator', '1.2.0'),
    look(
      'Lighthouse',
      'Coast Guard of the Northern Islands',
      'Light that is seen from far away, with a schedule for fog and one for nights without a moon',
      '#006b4d',
      'Networking',
    ),
  ),
  heldPackage(
    one('metrics-stack', '4.11.2', '4.12.0'),
    look('Metrics', 'Observatory', 'Series, alerts and dashboards', '#56616f', 'Monitoring'),
  ),
];

/** Answers as the poller of the pictures. */
export const answerOfPicturedCatalog = (question: CatalogQuestion): QuestionAnswer => catalogAnswer(HELD, question);
