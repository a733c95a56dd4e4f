import { formatVersion } from '../../kernel/versions/version.js';
import type { Installed } from '../graph/upgrade-graph.js';
import type { NoWay } from './no-way.js';

/** Returns the obstacle, the nearest version with an upgrade path, and the remedy: one sentence a line. */
export function noWayLines(noWay: NoWay): string[] {
  return [obstacle(noWay), nearestLine(noWay), helpLine(noWay)].filter((line) => line !== '');
}

function obstacle(noWay: NoWay): string {
  const { reason, goal, channel, way, skippedBy } = noWay;
  switch (reason) {
    case 'older':
      return `${installedText(goal)} is older than the installed version: OLM never goes back`;
    case 'skipped':
      return `${installedText(goal)} is skipped by ${skippedBy}: OLM never installs a skipped bundle`;
    case 'passed':
      return `OLM skips ${installedText(goal)}: its path is ${way.join(' -> ')}`;
    case 'circles':
      return `OLM would go round in circles: ${way.join(' -> ')}`;
    case 'unordered':
      return `OLM's resolver finds no single chain of replacements in channel "${channel}" and gives up`;
    case 'stuck':
      return stuckAt(noWay);
  }
}

function stuckAt({ start, stopsAt }: NoWay): string {
  const far = stopsAt.name === start.name ? 'OLM stays at' : 'OLM gets no further than';
  const noSuccessor = `no channel has an entry beyond it that replaces or skips ${stopsAt.name}`;
  const range = stopsAt.version === undefined ? '' : ` or has a skipRange with ${formatVersion(stopsAt.version)}`;
  return `${far} ${installedText(stopsAt)}: ${noSuccessor}${range}`;
}

function nearestLine({ nearest, goal, reason }: NoWay): string {
  if (reason === 'older' || reason === 'skipped') return '';
  if (nearest === undefined) return `no version of the package has an upgrade path to ${installedText(goal)}`;
  return `the nearest version with an upgrade path to ${installedText(goal)} is ${installedText(nearest)}`;
}

function helpLine({ reason, goal, stopsAt, shouldSkip }: NoWay): string {
  const reinstall = `reinstall it with startingCSV: ${goal.name} and installPlanApproval: Manual`;
  switch (reason) {
    case 'older':
    case 'passed':
      return `what would help: ${reinstall}`;
    case 'skipped':
      return 'what would help: install the version that skips it';
    case 'circles':
      return 'what would help: correct the skipRange or replaces that leads back to an older entry';
    case 'unordered':
      return 'what would help: make every entry reachable from the head by replaces, or skip it';
    case 'stuck': {
      if (shouldSkip === undefined) return `what would help: ${reinstall}`;
      const { entry, channel } = shouldSkip;
      return `what would help: in channel "${channel}" add "skips: [${stopsAt.name}]" to the entry ${entry.name}${orRange(stopsAt, entry)}; or ${reinstall}`;
    }
  }
}

function orRange(from: Installed, to: Installed): string {
  if (from.version === undefined || to.version === undefined) return '';
  return ` (or skipRange: ">=${formatVersion(from.version)} <${formatVersion(to.version)}")`;
}

const installedText = ({ name, version }: Installed): string =>
  version === undefined ? name : `${formatVersion(version)} (${name})`;
