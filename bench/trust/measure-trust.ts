import type { HubUsage } from './hub-usage.js';
import { type LargeCatalogs, largeCatalogs } from './large-catalogs.js';
import { type Cost, MeasuredHub } from './measured-hub.js';

export const SIDES = ['before', 'now'] as const;
export type Side = (typeof SIDES)[number];

export const WORKS = ['install', 'upgrade', 'catalog refresh', 'idle'] as const;
export type Work = (typeof WORKS)[number];

/** Measures of one pair of hubs, per operator, per catalog, or for all the time at rest. */
export type Pair = Readonly<Record<Side, Measured>>;

export type Measured = Readonly<Partial<Record<Work, Cost>> & { one?: HubUsage; many?: HubUsage }>;

export type TrustOptions = Readonly<{
  baseline: string;
  pairs: number;
  /** 0 leaves out installs, upgrades and refreshes. */
  operators: number;
  catalogs: number;
  idleClusters: number;
  /** 0 leaves out the time at rest. */
  idleSeconds: number;
  /** CPU profiles of the services go to folders in it. */
  profileFolder?: string | undefined;
}>;

type Hubs = Readonly<Record<Side, MeasuredHub>>;

/** Operators and catalogs of the first, unmeasured turn, so that neither start nor compilation is counted. */
const WARM_UP = 2;

/**
 * Pairs of hubs that run side by side, so that whatever else the machine does concerns both; they
 * take turns in going first.
 */
export async function* measureTrust(options: TrustOptions): AsyncGenerator<Pair> {
  const catalogs = await largeCatalogs(WARM_UP + options.catalogs);
  for (let pair = 0; pair < options.pairs; pair += 1) {
    const order = pair % 2 === 0 ? SIDES : SIDES.toReversed();
    const nothing: Record<Side, Measured> = { before: {}, now: {} };
    const busy = options.operators === 0 ? nothing : await busyHubs(options, catalogs, order);
    const idle = options.idleSeconds === 0 ? nothing : await idleHubs(options, order);
    yield { before: { ...busy.before, ...idle.before }, now: { ...busy.now, ...idle.now } };
  }
}

async function busyHubs(
  { operators, catalogs, ...options }: TrustOptions,
  images: LargeCatalogs,
  order: readonly Side[],
) {
  return withHubs({ ...options, clusters: 1, operators: operators + WARM_UP }, order, async (hubs) => {
    const turns = async (work: (hub: MeasuredHub) => Promise<Cost>, count: number) => {
      const costs = new Map<Side, Cost>();
      for (const side of order) costs.set(side, perOne(await work(hubs[side]), count));
      return bySide((side) => costs.get(side));
    };
    await turns((hub) => hub.install(0, WARM_UP), WARM_UP);
    const install = await turns((hub) => hub.install(WARM_UP, operators + WARM_UP), operators);
    await turns((hub) => hub.upgrade(0, WARM_UP), WARM_UP);
    const upgrade = await turns((hub) => hub.upgrade(WARM_UP, operators + WARM_UP), operators);
    await turns((hub) => hub.refresh(images, 0, WARM_UP), WARM_UP);
    const refresh = await turns((hub) => hub.refresh(images, WARM_UP, WARM_UP + catalogs), catalogs);
    const one = { before: await hubs.before.usage(), now: await hubs.now.usage() };
    return bySide((side) => ({
      install: install[side],
      upgrade: upgrade[side],
      ...(catalogs === 0 ? {} : { 'catalog refresh': refresh[side] }),
      one: one[side],
    }));
  });
}

async function idleHubs({ idleClusters, idleSeconds, ...options }: TrustOptions, order: readonly Side[]) {
  return withHubs({ ...options, clusters: idleClusters, operators: 1 }, order, async (hubs) => {
    for (const side of order) await hubs[side].install(0, 1);
    const [before, now] = await Promise.all(SIDES.map((side) => hubs[side].idle(idleSeconds)));
    const many = { before: await hubs.before.usage(), now: await hubs.now.usage() };
    const idle = { before, now };
    return bySide((side) => ({ idle: present(idle[side]), many: many[side] }));
  });
}

type HubsOptions = Pick<TrustOptions, 'baseline' | 'profileFolder'> & Readonly<{ clusters: number; operators: number }>;

async function withHubs<Result>(
  { baseline, profileFolder, ...size }: HubsOptions,
  order: readonly Side[],
  work: (hubs: Hubs) => Promise<Result>,
): Promise<Result> {
  const started = new Map<Side, MeasuredHub>();
  try {
    for (const side of order) {
      const checkout = side === 'before' ? baseline : undefined;
      const folder = profileFolder === undefined ? undefined : `${profileFolder}/${side}`;
      started.set(side, await MeasuredHub.start({ ...size, checkout, profileFolder: folder }));
    }
    return await work(bySide((side) => started.get(side)));
  } finally {
    for (const hub of started.values()) await hub.stop();
  }
}

const bySide = <Value>(of: (side: Side) => Value | undefined): Record<Side, Value> => ({
  before: present(of('before')),
  now: present(of('now')),
});

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('one of the two hubs was not measured');
  return value;
}

const perOne = ({ cpuSeconds, redisCommands, requests }: Cost, count: number): Cost => ({
  cpuSeconds: Object.fromEntries(Object.entries(cpuSeconds).map(([name, seconds]) => [name, seconds / count])),
  redisCommands: redisCommands / count,
  requests: requests / count,
});
