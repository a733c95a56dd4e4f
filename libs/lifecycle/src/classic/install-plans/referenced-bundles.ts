import {
  type BundleReference,
  dereferenced,
  referenceOf,
  referredSteps,
  sourceOf,
} from '#core/classic/install-plan/bundle-reference';
import { unpackSettings } from '#core/classic/operator-group/unpack-annotations';
import type { InstallPlanStep } from '#core/kernel/api/install-plan';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { KubeApiError } from '#platform/kube/kube-client.port';
import type { StageInput } from '../namespaces/stage.js';
import { catalogCredentials, withinUnpackTime } from '../subscriptions/fetch-bundles.js';
import type { BundleContent, BundleContents } from './bundle-contents.js';

/** `patienceMs`: a registry that does not answer says nothing against the plan, so it is asked for as long as an unpack may take. */
export type WholeStep = Readonly<{ step: InstallPlanStep }> | Readonly<{ fail: string; patienceMs?: number }>;

/** Bundles that the steps of one plan refer to; each is fetched once in an execution. */
export class ReferencedBundles {
  readonly #contents = new Map<string, Promise<BundleContent>>();
  /** By the whole reference: that of a CSV says more than the others. */
  readonly #steps = new Map<string, Promise<readonly InstallPlanStep[]>>();

  constructor(
    private readonly contents: BundleContents,
    private readonly input: StageInput,
    private readonly unpackTimeoutMs: number,
    /** Whether the plan may have what a reference names. */
    private readonly mayHave: (reference: BundleReference) => Promise<boolean>,
  ) {}

  /** The step with its whole manifest; most have it already. */
  async whole(step: InstallPlanStep): Promise<WholeStep> {
    const reference = referenceOf(step);
    if (reference === undefined) return { step };
    const { kind, name } = step.resource;
    try {
      if (!(await this.mayHave(reference))) return { fail: notOffered(`${kind} ${name}`, reference) };
      return dereferenced(step, reference, await this.#stepsOf(step.resolving, reference));
    } catch (error) {
      if (!(error instanceof FlotillaError) || KubeApiError.is(error)) throw error;
      const advice = 'if the bundle is gone for good, have the plan made anew: flotilla retry installplan --replan';
      const fail = `error finding the unpacked bundle for ${kind} ${name}: ${error.message}; ${advice}`;
      return { fail, patienceMs: this.#timeoutMs || Number.POSITIVE_INFINITY };
    }
  }

  #stepsOf(bundle: string, reference: BundleReference): Promise<readonly InstallPlanStep[]> {
    const key = canonicalJson(reference);
    const made = this.#steps.get(key) ?? this.#makeSteps(bundle, reference);
    this.#steps.set(key, made);
    return made;
  }

  async #makeSteps(bundle: string, reference: BundleReference): Promise<readonly InstallPlanStep[]> {
    const content = this.#contents.get(reference.name) ?? this.#fetch(bundle, reference);
    this.#contents.set(reference.name, content);
    return referredSteps(reference, { objects: (await content).objects, namespace: this.input.read.namespace });
  }

  #fetch(name: string, reference: BundleReference): Promise<BundleContent> {
    const { catalogSourceName, catalogSourceNamespace } = reference;
    return withinUnpackTime(this.input, this.#timeoutMs, async (signal) => {
      const catalog = { name: catalogSourceName, namespace: catalogSourceNamespace };
      const credentials = await catalogCredentials(this.input, catalog);
      return this.contents.contentOf({ name, source: sourceOf(reference) }, { credentials, signal });
    });
  }

  /** What the group's annotation says, else the hub's setting; 0: no limit. */
  get #timeoutMs(): number {
    const [group] = this.input.read.operatorGroups;
    const settings = group === undefined ? {} : unpackSettings(group);
    return 'error' in settings ? this.unpackTimeoutMs : (settings.timeoutMs ?? this.unpackTimeoutMs);
  }
}

const notOffered = (what: string, { name, catalogSourceName, catalogSourceNamespace }: BundleReference): string =>
  `error finding the unpacked bundle for ${what}: CatalogSource ${catalogSourceNamespace}/${catalogSourceName} does not offer ` +
  `${name} to this namespace, and the plan is not one that the hub made: have it made anew: flotilla retry installplan --replan`;
