import { FleetCatalogOutcome } from '#core/kernel/api/fleet/fleet-catalog';
import { counted } from '#core/kernel/text/counted';
import { isFinal } from '#core/rollout/controller/step/phases';
import { deniesReturns } from '#core/rollout/review/class-approval';
import { pagePaths } from '#core/view/questions/page-paths';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import type { Settings } from '#platform/config/settings';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { consoleLine } from '../../../hub/console-page.js';
import { isData } from '../../../output/data-format.js';
import { adviceLine } from '../../../output/folded-lines.js';
import { NEXT } from '../../../output/next-commands.js';
import type { ListFormat } from '../../../output/output-option.js';
import { printData } from '../../../output/print-data.js';
import { type Columns, table } from '../../../output/table.js';
import { ExitCode, type Io } from '../../../terminal/io.js';
import { hubAway } from '../hub/hub-at-work.js';
import { meantRollout, nameOnly, readFleet, shortName } from '../hub/read-fleet.js';
import { type DeprecatedAnswer, deprecatedLine, deprecatedOperators } from '../rollout/deprecated-operators.js';
import { type RolloutAnswer, rolloutAnswer } from '../rollout/rollout-answer.js';
import { NO_HINTS, rolloutHints } from '../rollout/rollout-hints.js';
import { rolloutNote } from './rollout-note.js';
import { rolloutText } from './rollout-text.js';

export type RolloutsAsked = Readonly<{
  rollout?: string | undefined;
  namespace?: string | undefined;
  output: ListFormat;
  all: boolean;
  /** The public address of the console. Absent: none is printed. */
  settings?: Pick<Settings, 'consoleExternalUrl'>;
}>;

/** Runs `flotilla fleet status`: prints all rollouts, or one. */
export async function showRollouts(hub: KubeClient, io: Io, asked: RolloutsAsked, now: Date): Promise<void> {
  const fleet = await readFleet(hub, now);
  const { rollout, namespace, output } = asked;
  const away = await hubAway(hub, now);
  const hubData = away === undefined ? {} : { hub: { runs: away.runs, since: away.since } };
  if (away !== undefined && !isData(output) && output !== 'name') io.out(`${away.text}\n`);
  if (rollout !== undefined) {
    const found = meantRollout(fleet, rollout, namespace);
    const answer = rolloutAnswer(fleet, found);
    const deprecated = deprecatedOperators(fleet, { subject: found.record.spec.subject });
    if (isData(output)) await printData(io, { verdict: 'yes', ...hubData, ...answer, deprecated }, output);
    else if (output === 'name') io.out(`${objectName(answer.name)}\n`);
    else {
      const short = shortName(fleet, answer.name);
      const options = { short, now: fleet.now, width: io.columns, wide: output === 'wide' };
      const { approval } = found.record.spec.strategy;
      const hints = rolloutHints(fleet, found);
      io.out(rolloutText(answer, { ...options, deniesReturns: deniesReturns(approval), hints }));
      io.out(deprecatedLines(deprecated));
      if (asked.settings) io.out(consoleLine(asked.settings, pagePaths.rollout(answer.name)));
    }
  } else {
    await showAll(fleet, io, asked, hubData);
    if (asked.settings && !isData(output) && output !== 'name') {
      io.out(consoleLine(asked.settings, pagePaths.rollouts()));
    }
  }
  io.exit(ExitCode.done);
}

/** `fleetrollout.fleet.flotilla.dev/NAME`, as `kubectl -o name`. */
const objectName = (name: string): string => `fleetrollout.fleet.flotilla.dev/${nameOnly(name)}`;

async function showAll(
  fleet: LiveFleet,
  io: Io,
  { namespace, output, all }: RolloutsAsked,
  hubData: Readonly<{ hub?: object }>,
): Promise<void> {
  const shown = fleet.rollouts
    .filter(({ record }) => namespace === undefined || record.spec.name.startsWith(`${namespace}/`))
    .filter((one) => all || isOfNow(one));
  const rollouts = shown.map((one) => rolloutAnswer(fleet, one));
  const clusters = {
    total: fleet.clusters.size,
    reachable: [...fleet.clusters.values()].filter(({ isReachable }) => isReachable).length,
    paused: [...fleet.clusters.values()].filter(({ isPaused }) => isPaused).length,
  };
  const subjects = fleet.files.subjects.size;
  const notes = decisionsAboutNothing(fleet);
  const deprecated = deprecatedOperators(fleet).filter(({ subject }) => isIn(subject, namespace));
  if (isData(output)) {
    return printData(io, { verdict: 'yes', ...hubData, clusters, subjects, rollouts, deprecated, notes }, output);
  }
  if (output === 'name') return io.out(rollouts.map(({ name }) => `${objectName(name)}\n`).join(''));
  const paused = clusters.paused === 0 ? '' : `, ${clusters.paused} paused`;
  const away = clusters.total - clusters.reachable;
  const state = away === 0 ? 'all reachable' : `${clusters.reachable} reachable`;
  const head = `${counted(clusters.total, 'cluster')}, ${state}${paused} · ${counted(subjects, 'subject')} · ${counted(rollouts.length, 'rollout')}\n`;
  const noted = `${deprecatedLines(deprecated)}${notes.map((note) => `note: ${note}\n`).join('')}`;
  if (rollouts.length === 0) return io.out(`${head}${nothingText(fleet)}${noted}`);
  const width = output === 'wide' ? undefined : io.columns;
  const hints = new Map(shown.map((one) => [one.record.spec.name, rolloutHints(fleet, one)]));
  const noteOf: NoteOf = (one) => rolloutNote(one, hints.get(one.name) ?? NO_HINTS);
  io.out(`${head}\n${table(rollouts, overviewColumns(noteOf, output === 'wide', width), width)}`);
  const waiting = rollouts.filter((one) => noteOf(one) !== '' && !isFinal(one.phase));
  const isNarrow = width !== undefined && width < WAVE_FITS;
  for (const one of waiting.slice(0, MOST_ADVICE)) {
    io.out(adviceLine(NEXT.fleetRollout(shortName(fleet, one.name)), isNarrow ? noteOf(one) : '', width));
  }
  io.out(noted);
}

const isIn = (subject: string, namespace: string | undefined): boolean =>
  namespace === undefined || subject.split('/')[1] === namespace;

function deprecatedLines(all: readonly DeprecatedAnswer[]): string {
  const more = all.length - MOST_DEPRECATED;
  const lines = all.slice(0, MOST_DEPRECATED).map(deprecatedLine);
  return [...lines, ...(more > 0 ? [`deprecated: ${more} more`] : [])].map((line) => `${line}\n`).join('');
}

const MOST_DEPRECATED = 5;
const MOST_ADVICE = 5;
const MOST_DECISIONS = 3;

/** Decisions that name a rollout that is not there, in one line. */
function decisionsAboutNothing({ state, rollouts }: LiveFleet): string[] {
  const names = new Set(rollouts.map(({ record }) => record.spec.name));
  const lost = state.decisions.filter(({ metadata: { namespace }, spec, status }) => {
    const { at, reason } = (status ?? {}) as Readonly<{ at?: string; reason?: string }>;
    return !names.has(`${namespace}/${spec.rollout}`) && (at === undefined || reason === 'UnknownRollout');
  });
  if (lost.length === 0) return [];
  const named = lost.slice(0, MOST_DECISIONS).map(({ metadata: { namespace, name }, spec }) => {
    return `${name} (${spec.action} of ${namespace}/${spec.rollout})`;
  });
  const more = lost.length > MOST_DECISIONS ? ` and ${lost.length - MOST_DECISIONS} more` : '';
  return [
    `${counted(lost.length, 'decision names', 'decisions name')} no existing rollout, without effect: ${named.join(', ')}${more}`,
  ];
}

/** True for active rollouts, and for the newest of each subject. */
const isOfNow = ({ record, facts }: LiveRollout): boolean =>
  !isFinal(record.status.phase) || facts.isNewest || facts.role === 'standing';

function nothingText(fleet: LiveFleet): string {
  if (fleet.files.subjects.size === 0)
    return `There is no FleetOperator yet. To write one from the operators of your clusters: ${NEXT.exportFleet()}\n`;
  const hindrances = [...catalogsNotReady(fleet), ...clustersWithoutReport(fleet)];
  if (hindrances.length === 0) return 'No cluster plans a change: there is nothing to roll out.\n';
  return `Nothing is rolled out, and pending changes are not known yet:\n${hindrances.map((one) => `  ${one}\n`).join('')}`;
}

const catalogsNotReady = (fleet: LiveFleet): string[] =>
  fleet.state.catalogs.flatMap(({ metadata: { namespace, name }, status }) => {
    const { conditions = [] } = FleetCatalogOutcome.safeParse(status ?? {}).data ?? {};
    const { reason, message } = conditions.find(({ type, status: is }) => type === 'Ready' && is === 'False') ?? {};
    return reason === undefined ? [] : [`FleetCatalog ${namespace}/${name} is not ready (${reason}): ${message}`];
  });

const clustersWithoutReport = (fleet: LiveFleet): string[] =>
  [...fleet.files.subjects.values()].flatMap((subject) => {
    const targets = fleet.targetsOf(subject);
    const silent = targets.filter((cluster) => cluster.report(subject.key) === undefined).length;
    return silent === 0
      ? []
      : [`${subject.key}: ${silent} of ${counted(targets.length, 'cluster')} have not reported their changes`];
  });

/** A narrower terminal has no room for the target, and then none for wave and note: names stay whole. */
const TARGET_FITS = 90;
const WAVE_FITS = 70;

type NoteOf = (answer: RolloutAnswer) => string;

const overviewColumns = (noteOf: NoteOf, isWide: boolean, width = Number.POSITIVE_INFINITY): Columns<RolloutAnswer> => [
  ['ROLLOUT', ({ name }) => name],
  ...(width < TARGET_FITS ? [] : [['TARGET', ({ target }: RolloutAnswer) => target] as const]),
  ['PHASE', ({ phase }) => phase],
  ...(width < WAVE_FITS
    ? []
    : [['WAVE', (one: RolloutAnswer) => (one.currentWave === null ? '-' : waveText(one, one.currentWave))] as const]),
  ['DONE', ({ counts }) => `${counts.done}/${counts.targets}`],
  ['FAILED', ({ counts }) => String(counts.failed)],
  ...(isWide
    ? ([
        ['WAIT', ({ counts }: RolloutAnswer) => String(counts.waiting)],
        ['SKIPPED', ({ counts }: RolloutAnswer) => String(counts.skipped)],
        ['STARTED', ({ startedAt }: RolloutAnswer) => startedAt],
      ] as const)
    : []),
  ...(width < WAVE_FITS ? [] : [['NOTE', noteOf] as const]),
];

const waveText = ({ waves }: RolloutAnswer, current: number): string =>
  `${current}/${waves.length} ${waves[current - 1]?.name ?? ''}`;
