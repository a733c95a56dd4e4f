import type { Property } from '../../../catalog/model/catalog.js';
import type { CatalogKey, EntryRecord } from '../../../catalog/model/package-record.js';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import type { Subscription } from '../../../kernel/api/subscription.js';

/**
 * The part of one visible catalog that the namespace's desired state can reach: package record hashes
 * by package name, sorted.
 */
export type CatalogSlice = Readonly<{
  key: CatalogKey;
  priority: number;
  /**
   * Set when the catalog cannot answer: it then blocks the resolution with this cause
   * (spec: classic-resolution.md §2.3).
   */
  failure?: string;
  /**
   * True when the catalog holds no package at all, or is not known: messages differ from "no such package".
   */
  empty: boolean;
  packages: readonly Readonly<{ name: string; record: string }>[];
}>;

/** The desired and installed state of one namespace, reduced to the input of resolution. */
export type DesiredNamespace = Readonly<{
  namespace: string;
  globalCatalogNamespace: string;
  operatorGroups: readonly DesiredGroup[];
  subscriptions: readonly DesiredSubscription[];
  csvs: readonly InstalledCsv[];
}>;

type DesiredGroup = Readonly<{
  name: string;
  upgradeStrategy: string;
  excludeGlobal: boolean;
  /** A Subscription that cannot be satisfied does not stop the others; absent unless asked for. */
  isolate?: true;
}>;

export type DesiredSubscription = Readonly<{
  name: string;
  package: string;
  channel: string;
  startingCSV: string;
  source: string;
  sourceNamespace: string;
  installedCSV: string;
  currentCSV: string;
}>;

export type InstalledCsv = Readonly<{
  name: string;
  version: string;
  replaces: string;
  phase: string;
  /** Annotation operatorframework.io/properties as written; absent when the CSV has none. */
  propertiesAnnotation?: string;
  ownedApis: readonly Readonly<{ name: string; group: string; version: string; kind: string }>[];
  requiredApis: readonly Readonly<{ name: string; group: string; version: string; kind: string }>[];
}>;

/**
 * One resolution, as a value: equal problems have equal canonical JSON, so one solve serves every namespace
 * and cluster that asks it. Package records are referred to by hash and stored separately.
 */
export type ResolutionProblem = Readonly<{
  v: 1;
  wishes: DesiredNamespace;
  catalogs: readonly CatalogSlice[];
  /** A Subscription for which all hops are asked; absent: only the next hop is. */
  path?: string;
}>;

/** A bundle to install now (spec: classic-resolution.md §7 "Output"). */
export type ChosenBundle = Readonly<{
  name: string;
  package: string;
  channel: string;
  catalog: string;
  catalogNamespace: string;
  version: string;
  /**
   * The installed CSV on an upgrade, otherwise the value of the channel entry. Empty if nothing is replaced.
   */
  replaces: string;
  startingCSV?: string;
  /**
   * True if every Subscription for it names it as current and its CSV exists: no steps are made (spec:
   * classic-resolution.md §11).
   */
  upToDate?: true;
  source: EntryRecord['source'];
  properties: readonly Property[];
}>;

/**
 * One reason of an explanation, as data; sentences are rendered elsewhere. `text` is OLM's own wording of it,
 * `facts` are the names in it, and `because` holds the reasons behind it.
 */
export type Reason = Readonly<{
  kind:
    | 'subscription'
    | 'installed'
    | 'candidate'
    | 'requires'
    | 'missing'
    | 'nothing-found'
    | 'deprecated'
    | 'conflict'
    | 'same-api'
    | 'same-package'
    | 'crowd';
  subject: string;
  text: string;
  facts: Readonly<Record<string, string>>;
  because: readonly Reason[];
}>;

/**
 * A Subscription, or an installed CSV without one, that is left out of a solution so
 * that the others get theirs.
 */
export type Unresolved = Readonly<{
  kind: 'subscription' | 'installed';
  name: string;
  reason: 'ConstraintsNotSatisfiable' | 'ErrorPreventedResolution';
  message: string;
  explanation: readonly Reason[];
  advice: string;
}>;

/** Chosen bundles that belong together, by CSV name, and the Subscriptions that ask for them. */
export type ResolutionPart = Readonly<{ bundles: readonly string[]; subscriptions: readonly string[] }>;

export type Resolution =
  | Readonly<{
      result: 'resolved';
      chosen: readonly ChosenBundle[];
      /** Subscriptions to be made for dependencies. */
      subscriptionsCreated: readonly Readonly<{ name: string; spec: Readonly<Record<string, string>> }>[];
      /** New status.currentCSV per existing Subscription. */
      subscriptionsUpdated: readonly Readonly<{ name: string; currentCSV: string }>[];
      /** Unchanged parts with their reasons; only with isolation. */
      unresolved?: readonly Unresolved[];
      /** Groups of bundles that need each other; only with isolation. Each part is approved on its own. */
      parts?: readonly ResolutionPart[];
      /**
       * The following answers if the path is asked for; each assumes that the one before it is carried out.
       */
      following?: readonly Resolution[];
    }>
  /**
   * Condition reason ConstraintsNotSatisfiable. `message` is OLM's text, `explanation` the reasons behind it.
   */
  | Readonly<{ result: 'unsatisfiable'; message: string; explanation: readonly Reason[]; advice: string }>
  /**
   * Condition reason ErrorPreventedResolution. `code`: `ResolutionTooHard` when the search ran out of its
   * budget. `deadlineMs`: the problem was not solved within this time.
   */
  | Readonly<{ result: 'error'; message: string; advice: string; code?: 'ResolutionTooHard'; deadlineMs?: number }>;

/**
 * Objects of one namespace and its visible catalogs as read from a cluster; input of `desiredNamespaceOf`.
 */
export type ObservedNamespace = Readonly<{
  namespace: string;
  globalCatalogNamespace: string;
  operatorGroups: readonly OperatorGroup[];
  subscriptions: readonly Subscription[];
  csvs: readonly ClusterServiceVersion[];
}>;
