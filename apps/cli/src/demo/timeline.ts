import type { KubernetesObject } from '#core/api/kubernetes-object';

/** One line of the story: when (seconds since the start), where, what. */
export type Moment = Readonly<{ seconds: number; where: string; what: string }>;

/** Collects what happened and tells it as it happens. */
export class Timeline {
  readonly moments: Moment[] = [];
  readonly #start = performance.now();
  readonly #told = new Set<string>();

  constructor(private readonly print: (line: string) => void) {}

  get seconds(): number {
    return (performance.now() - this.#start) / 1_000;
  }

  tell(where: string, what: string): void {
    const moment = { seconds: this.seconds, where, what };
    this.moments.push(moment);
    this.print(renderMoment(moment));
  }

  /** Tells what an object says of itself, once per distinct saying. */
  notice(where: string, object: KubernetesObject): void {
    const what = sayingOf(object);
    const key = `${where} ${what}`;
    if (what === undefined || this.#told.has(key)) return;
    this.#told.add(key);
    this.tell(where, what);
  }
}

export const renderMoment = ({ seconds, where, what }: Moment): string =>
  `${seconds.toFixed(1).padStart(6)} s  ${where.padEnd(8)} ${what}\n`;

type Saying = (object: KubernetesObject, status: Readonly<Record<string, unknown>>) => string | undefined;

const sayings: Readonly<Record<string, Saying>> = {
  CatalogSource: ({ metadata }, status) => {
    const state = status['connectionState'];
    const { address, lastObservedState } = isRecord(state) ? state : {};
    if (lastObservedState !== 'READY') return undefined;
    return `CatalogSource ${metadata.name} READY, content ${shortDigest(String(address))}`;
  },
  Subscription: ({ metadata }, status) => {
    if (status['state'] !== 'AtLatestKnown') return undefined;
    return `Subscription ${metadata.name} AtLatestKnown: ${status['installedCSV']}`;
  },
  InstallPlan: (object, status) => {
    const spec = isRecord(object['spec']) ? object['spec'] : {};
    const phase = status['phase'];
    if (phase === undefined) return undefined;
    const names = Array.isArray(spec['clusterServiceVersionNames'])
      ? spec['clusterServiceVersionNames'].join(', ')
      : '';
    return `InstallPlan ${object.metadata.name} ${phase} (${names})`;
  },
  ClusterServiceVersion: ({ metadata }, status) => {
    const phase = status['phase'];
    return phase === undefined ? undefined : `ClusterServiceVersion ${metadata.name} ${phase}`;
  },
};

function sayingOf(object: KubernetesObject): string | undefined {
  const status = isRecord(object['status']) ? object['status'] : {};
  return sayings[object.kind]?.(object, status);
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const shortDigest = (address: string): string => /sha256:[0-9a-f]{12}/.exec(address)?.[0] ?? address;
