import type { Entry } from '../../../catalog/model/entry.js';
import { isPackage, type Requirement } from '../../../catalog/model/requirement.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import type { Snapshot } from '../constraints/snapshot.js';

const SHOWN = 5;

/**
 * Names near matches of a requirement that nothing meets: the available versions of the package, by catalog.
 */
export function nearMiss(requirement: Requirement, snapshot: Snapshot): string {
  if (requirement.kind !== 'package') return '';
  const { name } = requirement;
  const places = snapshot.catalogs.flatMap((view) => {
    const text = versionsOf(view.groupsOfPackage(name).flatMap(({ entries }) => entries));
    return text === '' ? [] : [`catalog ${view.key.namespace}/${view.key.name} has ${text}`];
  });
  const installed = versionsOf(snapshot.installed.filter((entry) => isPackage(entry, name)));
  return [...(installed === '' ? [] : [`installed is ${installed}`]), ...places].join('; ');
}

function versionsOf(entries: readonly Entry[]): string {
  const versions = [...new Set(entries.map(versionText))].sort(byCodeUnit);
  const shown = versions.slice(0, SHOWN).join(', ');
  return versions.length > SHOWN ? `${shown} and ${versions.length - SHOWN} more` : shown;
}

const versionText = (entry: Entry): string =>
  entry.from.kind === 'catalog' ? entry.from.record.version || entry.name : entry.name;
