import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { Catalog } from '#core/catalog/model/catalog';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { folderOf, treeOf } from './public-bundles.js';
import { bundlesOf, publicCatalog } from './public-catalogs.js';

const ROOT = join(import.meta.dirname, '..', '..');
/** Folders of recordings: those of this repository, and all others next to it. */
const FOLDERS = [join(ROOT, 'test/vectors/lifecycle/scenarios'), join(ROOT, '../shared/vectors/lifecycle')];

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** `{Kind: {"namespace/name": object}}`; the list of Events is kept apart. */
export type Dump = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** One distinct state of an object, as a watch saw it. */
export type Seen = Readonly<{ object: string } & Record<string, unknown>>;

/**
 * OLM's behaviour in one scenario, and the actions on it, in the format of
 * `test/vectors/lifecycle/scenarios`.
 */
export type Recording = Readonly<{
  name: string;
  title: string;
  steps: readonly string[];
  timeline: readonly Seen[];
  checkpoints: Readonly<Record<string, Dump>>;
  final: Dump;
  /** Every namespace that the scenario made. */
  namespaces: ReadonlySet<string>;
  input: (file: string) => readonly KubernetesObject[];
  catalog: (folder: string) => Catalog;
  /** Bundles that its catalogs name by image. */
  images: () => readonly Readonly<{ image: string; files: readonly BundleFile[] }>[];
}>;

type Observed = Readonly<{
  title: string;
  steps: readonly Readonly<{ action: string }>[];
  timeline: readonly Seen[];
  checkpoints?: Readonly<Record<string, Record<string, unknown>>>;
  final: Readonly<Record<string, unknown>>;
}>;

const folderNamed = (name: string): string | undefined =>
  FOLDERS.map((parent) => join(parent, name)).find((path) => existsSync(join(path, 'observed.json')));

/** The reason if a recording cannot be read here. */
export function missing(name: string): string | undefined {
  const bundles = bundlesOf(name);
  const here = folderNamed(name) !== undefined && bundles.every((bundle) => folderOf(bundle) !== undefined);
  if (here) return undefined;
  return `it is about public bundles, which lie in ../shared beside this repository, not in it`;
}

/** Returns the recording of that name. Returns undefined if no folder has it. */
export function readRecording(name: string): Recording | undefined {
  const folder = folderNamed(name);
  if (folder === undefined) return undefined;
  const observed = JSON.parse(readFileSync(join(folder, 'observed.json'), 'utf8')) as Observed;
  const input = (file: string): KubernetesObject[] =>
    loadAll(readFileSync(join(folder, 'input', file), 'utf8')) as KubernetesObject[];
  const made = readdirSync(join(folder, 'input')).toSorted(byCodeUnit).flatMap(input);
  return {
    name,
    title: observed.title,
    steps: observed.steps.map(({ action }) => action),
    timeline: observed.timeline,
    checkpoints: Object.fromEntries(
      Object.entries(observed.checkpoints ?? {}).map(([label, dump]) => [label, withoutEvents(dump)]),
    ),
    final: withoutEvents(observed.final),
    namespaces: new Set(made.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? (metadata.name ?? []) : []))),
    input,
    catalog: (part) => {
      if (existsSync(join(folder, part))) return loadCatalog(treeOf(join(folder, part)));
      const made = publicCatalog(name);
      if (made === undefined) throw new Error(`there is neither ${part}/ in ${folder} nor what it is made of`);
      return made;
    },
    images: () => imagesOf(folder),
  };
}

/** A bundle of each image that is named, from its directory `bundles/<csv>`. */
function imagesOf(folder: string) {
  const catalogs = readdirSync(folder).filter((name) => name.startsWith('fbc'));
  const bundles = catalogs.flatMap((part) => loadCatalog(treeOf(join(folder, part))).bundles);
  return bundles.flatMap(({ name, image }) => (image ? [{ image, files: treeOf(join(folder, 'bundles', name)) }] : []));
}

function withoutEvents({ Events: _events, ...kinds }: Readonly<Record<string, unknown>>): Dump {
  return kinds as Dump;
}
