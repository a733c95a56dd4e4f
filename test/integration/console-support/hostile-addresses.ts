import { createHash } from 'node:crypto';
import type { ConsoleQuestion, QuestionAnswer } from '#core/view/questions/console-question';
import type { FleetRolloutRow } from '#core/view/rows/rollout-row';
import type { ViewRow } from '#core/view/rows/rows';
import { catalogRow, clusterRow, operatorRow, planRow } from '../../../apps/console/src/console.fixture.js';
import { catalogAnswer, chain, type HeldPackage, heldPackage } from '../../console/catalog-content.js';

export const PACKAGE = 'lamp';
export const HASH = 'f'.repeat(64);

/** Rows with an address in place of each text of people and catalogs. */
export function hostileRows(address: string, digest: string): readonly ViewRow[] {
  const cluster = address;
  const cause = { code: 'plan-failed', kind: 'InstallPlan', names: [address], text: address };
  return [
    clusterRow(cluster, { labels: { [address]: address }, version: address, standing: 'failed', cause }),
    operatorRow(cluster, PACKAGE, {
      ...{ standing: 'failed', cause, channel: address, catalog: address, newest: address, next: address },
      ...{ plan: 'install-1', planHash: HASH, version: address },
    }),
    planRow(cluster, PACKAGE, HASH, { approvedBy: address }),
    catalogRow(cluster, digest, { image: address, message: address }),
  ];
}

/** Icons that are addresses, or name some. */
const iconOf = (address: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="${address}"/>
<style>@import url(${address}); rect { fill: url(${address}) }</style><use href="${address}#a"/></svg>`;
export const iconHash = (address: string): string => createHash('sha256').update(iconOf(address)).digest('hex');

/** A package with addresses as links, images, icon and texts. */
function hostilePackage(address: string): HeldPackage {
  const record = { name: PACKAGE, defaultChannel: 'stable', entries: chain(PACKAGE, 'stable', '1.0.0', '1.1.0') };
  const look = { title: address, provider: address, summary: address, color: address, category: address };
  const description = `![x](${address}) [x](${address}) <img src="${address}"> <${address}> [x][1]\n\n[1]: ${address}`;
  const { csv } = heldPackage(record, look, description) as { csv: { spec: Record<string, unknown> } };
  const icon = [iconOf(address), address].map((text) => ({
    ...{ base64data: Buffer.from(text).toString('base64'), mediatype: 'image/svg+xml', url: address, href: address },
  }));
  const links = [{ name: address, url: address }];
  return { record, csv: { ...csv, spec: { ...csv.spec, icon, links } }, icon: iconHash(address) };
}

/** The answer of a poller with the worst catalog and cluster. */
export function hostileAnswer(address: string, question: ConsoleQuestion): QuestionAnswer {
  if ('digest' in question) return catalogAnswer([hostilePackage(address)], question);
  if (question.ask === 'object') return { answer: { yaml: `image: ${address}\n`, cut: false } };
  if (question.ask === 'events') return { because: 'failed', message: address };
  const difference = { section: 'images', risk: true, sign: '+', what: address, text: address, lines: [address] };
  if (question.ask === 'review')
    return { answer: { differences: [difference], unchanged: 0, hash: HASH, waits: true } };
  return { answer: { because: [address], advice: [{ text: address, command: `curl ${address}` }], newer: [] } };
}

export const hostileRollout = (address: string): FleetRolloutRow => ({
  ...{ id: 'fleet/lamp-1', package: address, target: address, phase: 'Progressing', reason: address, code: address },
  ...{ startedAt: '2026-11-26T10:00:00Z', finishedAt: '', message: address, waves: [], classes: [] },
  failures: [{ reason: address, cause: address, clusters: 1, sample: [address] }],
  decisions: [
    { at: '2026-11-26T10:01:00Z', by: address, action: 'Skip', about: address, reason: address, outcome: address },
  ],
  moreDecisions: 0,
});
