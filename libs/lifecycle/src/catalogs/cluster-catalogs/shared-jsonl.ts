import type { Clock } from '#platform/clock/clock.port';
import type { Demand } from '#platform/fairness/demand';
import { localCredentials } from '#platform/registry/logins/local-credentials';
import type { CatalogContents } from '../contents/catalog-contents.js';
import { SharedLoads } from '../shared-loads.js';
import type { CatalogJsonl, LoadJsonl } from './catalog-jsonl.js';
import { loadImageJsonl } from './image-jsonl.js';

/** Clusters that ask for the same image within this time get the same answer. */
const SHARED_MS = 5_000;

/** The content of ClusterCatalogs, loaded once for all clusters that ask for the same image together. */
export class SharedJsonl {
  readonly #loads: SharedLoads<CatalogJsonl>;

  constructor(
    private readonly contents: CatalogContents,
    options: Readonly<{ clock: Clock; random: () => number }>,
  ) {
    this.#loads = new SharedLoads(options);
  }

  readonly load: LoadJsonl = async (ref, demand) => {
    const load = (all: Demand) =>
      loadImageJsonl(ref, { contents: this.contents, credentials: localCredentials, demand: all });
    const answer = await this.#loads.ask(ref, { withinMs: SHARED_MS, patient: false, demand }, load);
    if ('error' in answer) throw answer.error;
    return answer.value;
  };

  /** Has an image read once more that ended the thread that read it before that time. */
  readonly tryAgain = (ref: string, before: number): void => this.contents.tryAgain(ref, before);

  /** Forgets the answers that no cluster has asked for within `ms`. */
  forgetUnasked(ms: number): void {
    this.#loads.forgetUnasked(ms);
  }
}
