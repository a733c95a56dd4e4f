import {
  type BundleReference,
  dereferenced,
  referenceOf,
  referredSteps,
  sourceOf,
} from '#core/classic/install-plan/creation/bundle-reference';
import { BundleNotInstallable } from '#core/classic/install-plan/creation/bundle-steps';
import { replanCommand } from '#core/classic/install-plan/execution/replan-command';
import { unpackSettings } from '#core/classic/operator-group/unpack-annotations';
import type { InstallPlanStep } from '#core/kernel/api/install-plan';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';
import type { BundleContent, BundleContents, StillFetching } from './bundle-contents.js';
import { catalogCredentials } from './fetch-bundles.js';

/**
 * `patienceMs`: a registry that does not answer is no fault of the plan, so it is retried for as
 * long as an unpack may take.
 */
type WholeStep = Readonly<{ step: InstallPlanStep }> | Readonly<{ fail: string; patienceMs?: number }> | StillFetching;

/** Bundles that the steps of one plan refer to; each is fetched once in an execution. */
export class ReferencedBundles {
  readonly #contents = new Map<string, Promise<BundleContent | StillFetching>>();
  /** Steps by the whole reference: that of a CSV has more fields than the others. */
  readonly #steps = new Map<string, Promise<readonly InstallPlanStep[] | StillFetching>>();

  constructor(
    private readonly contents: BundleContents,
    private readonly input: NamespaceStageInput,
    /** Name of the plan. It is in the namespace that is read. */
    private readonly plan: string,
    private readonly unpackTimeoutMs: number,
    /** Checks if the plan may have the bundle of a reference. */
    private readonly mayHave: (reference: BundleReference) => Promise<boolean>,
  ) {}

  /** The step with its whole manifest; most have it already. */
  async whole(step: InstallPlanStep): Promise<WholeStep> {
    const reference = referenceOf(step);
    if (reference === undefined) return { step };
    const { kind, name } = step.resource;
    try {
      if (!(await this.mayHave(reference))) {
        return { fail: `${notOffered(`${kind} ${name}`, reference)}: recreate the plan: ${this.#replan}` };
      }
      const steps = await this.#stepsOf(step.resolving, reference);
      return 'stillFetching' in steps ? steps : dereferenced(step, reference, steps);
    } catch (error) {
      if (!(error instanceof FlotillaError) || KubeApiError.is(error)) throw error;
      const advice = `if the bundle is gone permanently, recreate the plan: ${this.#replan}`;
      const fail = `error finding the unpacked bundle for ${kind} ${name}: ${error.message}; ${advice}`;
      return { fail, patienceMs: this.#timeoutMs || Number.POSITIVE_INFINITY };
    }
  }

  get #replan(): string {
    return replanCommand({ name: this.plan, namespace: this.input.read.namespace });
  }

  #stepsOf(bundle: string, reference: BundleReference): Promise<readonly InstallPlanStep[] | StillFetching> {
    const key = canonicalJson(reference);
    const made = this.#steps.get(key) ?? this.#makeSteps(bundle, reference);
    this.#steps.set(key, made);
    return made;
  }

  async #makeSteps(bundle: string, reference: BundleReference): Promise<readonly InstallPlanStep[] | StillFetching> {
    const fetching = this.#contents.get(reference.name) ?? this.#fetch(bundle, reference);
    this.#contents.set(reference.name, fetching);
    const content = await fetching;
    if ('stillFetching' in content) return content;
    return referredSteps(reference, { objects: content.objects, namespace: this.input.read.namespace });
  }

  async #fetch(name: string, reference: BundleReference): Promise<BundleContent | StillFetching> {
    const { catalogSourceName, catalogSourceNamespace } = reference;
    const catalog = { name: catalogSourceName, namespace: catalogSourceNamespace };
    const credentials = await catalogCredentials(this.input, catalog);
    const bundle = { name, source: sourceOf(reference), credentials, timeoutMs: this.#timeoutMs };
    const fetched = await this.contents.contentsOf([bundle], this.input);
    if ('stillFetching' in fetched) return fetched;
    const [content] = fetched.contents;
    if (content === undefined) throw new Error(`bundle ${name} was requested but not fetched`);
    if ('unusable' in content) throw new BundleNotInstallable(content.unusable);
    return content;
  }

  /** Returns the timeout in the group's annotation, otherwise the hub's setting. 0: no limit. */
  get #timeoutMs(): number {
    const [group] = this.input.read.operatorGroups;
    const settings = group === undefined ? {} : unpackSettings(group);
    return 'error' in settings ? this.unpackTimeoutMs : (settings.timeoutMs ?? this.unpackTimeoutMs);
  }
}

const notOffered = (what: string, { name, catalogSourceName, catalogSourceNamespace }: BundleReference): string =>
  `error finding the unpacked bundle for ${what}: CatalogSource ${catalogSourceNamespace}/${catalogSourceName} does not offer ` +
  `${name} to this namespace, and the hub did not create the plan`;
