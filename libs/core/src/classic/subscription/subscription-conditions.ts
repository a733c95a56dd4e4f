type ConditionUse = Readonly<{
  /** OLM gives the condition a lastTransitionTime (spec: subscriptions.md §4). */
  timed: boolean;
  /** The poller keeps it, without its message: metrics and the choice of namespaces read it. */
  observed?: true;
  /** Rows of the console keep it, with its message. */
  inRows?: true;
}>;

const untimed: ConditionUse = { timed: false };
const timed: ConditionUse = { timed: true };
const deprecation: ConditionUse = { timed: true, inRows: true };

/**
 * Every condition of a Subscription, with its readers in addition to those of the whole object. The poller
 * and the rows of the console drop all others (`observed-part.ts`, `row-parts.ts`).
 */
export const SUBSCRIPTION_CONDITIONS = {
  CatalogSourcesUnhealthy: timed,
  ResolutionFailed: { timed: false, observed: true, inRows: true },
  BundleUnpacking: untimed,
  BundleUnpackFailed: { timed: false, inRows: true },
  /** Flotilla's own: OLM leaves files of a bundle out and reports nothing (decision 0494). */
  BundleIncomplete: { timed: false, inRows: true },
  InstallPlanPending: timed,
  InstallPlanFailed: timed,
  InstallPlanMissing: { timed: true, inRows: true },
  PackageDeprecated: deprecation,
  ChannelDeprecated: deprecation,
  BundleDeprecated: deprecation,
  Deprecated: deprecation,
} as const satisfies Readonly<Record<string, ConditionUse>>;

export type SubscriptionConditionType = keyof typeof SUBSCRIPTION_CONDITIONS;

const usedBy = (use: 'observed' | 'inRows'): ReadonlySet<string> =>
  new Set(Object.entries<ConditionUse>(SUBSCRIPTION_CONDITIONS).flatMap(([type, uses]) => (uses[use] ? [type] : [])));

/** The types that the poller keeps. */
export const OBSERVED_CONDITIONS = usedBy('observed');
/** The types that rows keep. */
export const ROW_CONDITIONS = usedBy('inRows');
