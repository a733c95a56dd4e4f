import { inRange, parseRange } from '../../kernel/versions/blang-range.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { compareVersions, type Version } from '../../kernel/versions/version.js';
import type { CatalogChannel, ChannelEntry } from '../model/catalog.js';
import { NO_VERSION } from './bundle-versions.js';
import type { Deprecated } from './deprecated-names.js';

/** One channel of a Mermaid graph, and the facts about it that the end of the text needs. */
export type DrawnChannel = Readonly<{
  package: string;
  name: string;
  id: string;
  lines: readonly string[];
  /** Ids of nodes by the class they get. */
  classes: Readonly<Record<NodeClass, readonly string[]>>;
  links: number;
  /** Ids of links that OLM Classic never follows. */
  redLinks: readonly number[];
  warnings: readonly string[];
}>;

type NodeClass = 'deprecated' | 'skipped' | 'deprecatedskipped';

/**
 * Inputs of the drawing in addition to the channel. `linkId` is the number of links in the channels before.
 */
type Drawing = Readonly<{
  versions: ReadonlyMap<string, Version>;
  deprecated: Deprecated;
  linkId: number;
  v0Semantics: boolean;
}>;

/**
 * Draws a channel, newest entry first, as `opm alpha render-graph` does (spec: file-based-catalogs.md §7).
 */
export function drawMermaidChannel(channel: CatalogChannel, drawing: Drawing): DrawnChannel {
  return new ChannelDrawing(channel, drawing).draw();
}

/** The part of a channel that is drawn so far: the form of an entry depends on the entries above it. */
class ChannelDrawing {
  readonly #id: string;
  readonly #entries: readonly ChannelEntry[];
  readonly #skipped = new Set<string>();
  readonly #lines: string[] = [];
  readonly #classes: Record<NodeClass, string[]> = { deprecated: [], skipped: [], deprecatedskipped: [] };
  readonly #redLinks: number[] = [];
  readonly #warnings: string[] = [];
  #linkId: number;

  constructor(
    private readonly channel: CatalogChannel,
    private readonly drawing: Drawing,
  ) {
    this.#id = `${channel.package}-${channel.name}`;
    this.#entries = channel.entries ?? [];
    this.#linkId = drawing.linkId;
  }

  draw(): DrawnChannel {
    const { package: owner, name } = this.channel;
    this.#lines.push(`    %% channel ${goQuote(name)}`, `    subgraph ${this.#id}[${goQuote(name)}]`);
    const newestFirst = this.#entries.toSorted((a, b) => compareVersions(this.#version(b), this.#version(a)));
    for (const entry of newestFirst) this.#drawEntry(entry);
    this.#lines.push('    end');
    return {
      package: owner,
      name,
      id: this.#id,
      lines: this.#lines,
      classes: this.#classes,
      links: this.#linkId - this.drawing.linkId,
      redLinks: this.#redLinks,
      warnings: this.#warnings,
    };
  }

  /** Replaces comes last: the entry's own skips decide whether OLM follows it. */
  #drawEntry(entry: ChannelEntry): void {
    const { name, replaces = '', skips = [], skipRange = '' } = entry;
    this.#lines.push(`      ${this.#node(name)}`);
    this.#classify(name);
    for (const skip of skips) {
      this.#link(skip, 'skip', name, this.#skipped.has(skip));
      if (this.drawing.v0Semantics) this.#skipped.add(skip);
    }
    if (skipRange !== '') this.#drawRange(name, skipRange);
    if (replaces !== '') this.#link(replaces, 'replace', name, this.#skipped.has(name));
  }

  #drawRange(name: string, skipRange: string): void {
    const range = parseRange(skipRange);
    if ('error' in range) {
      const edge = `${goQuote(this.channel.package)}/${goQuote(name)}`;
      this.#warnings.push(`warning: ignoring invalid SkipRange for package/edge ${edge}: ${range.error}`);
      return;
    }
    for (const from of this.#entries) {
      if (!inRange(this.#version(from), range)) continue;
      this.#link(from.name, `"skipRange(${skipRange})"`, name, this.#skipped.has(name));
    }
  }

  #classify(name: string): void {
    const deprecated = this.drawing.deprecated.bundles.has(name) ? 'deprecated' : '';
    const nodeClass = `${deprecated}${this.#skipped.has(name) ? 'skipped' : ''}` as const;
    if (nodeClass !== '') this.#classes[nodeClass].push(`${this.#id}-${name}`);
  }

  #link(from: string, label: string, to: string, red: boolean): void {
    this.#lines.push(`      ${this.#node(from)}-- ${label} --> ${this.#node(to)}`);
    if (red) this.#redLinks.push(this.#linkId);
    this.#linkId++;
  }

  #node(name: string): string {
    return `${this.#id}-${name}[${goQuote(name)}]`;
  }

  #version({ name }: ChannelEntry): Version {
    return this.drawing.versions.get(name) ?? NO_VERSION;
  }
}
