import type { Action } from '../../../kernel/actions/action.js';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { servingRefusal } from '../certificates/serving-service.js';
import { checkDeployments } from '../deployments/check-deployments.js';
import { installDeployments } from '../deployments/install-deployments.js';
import { checkAdmissionWebhooks, installAdmissionWebhooks } from '../serving/admission-webhooks.js';
import { checkApiServices, installApiServices } from '../serving/api-services.js';
import { checkConversions, conversionRefusal, installConversions } from '../serving/conversion-webhooks.js';
import { installServing } from '../serving/serving-objects.js';
import { type ComponentProblem, firstProblem } from '../world/component-problem.js';
import type { CsvWorld } from '../world/csv-world.js';

/** One kind of component of an operator. */
type InstallComponent = Readonly<{
  name: string;
  /** Returns the reason this part cannot be installed, as words that follow `install strategy failed: `. */
  refusal: (csv: ClusterServiceVersion, world: CsvWorld) => string | undefined;
  install: (csv: ClusterServiceVersion, world: CsvWorld) => readonly Action[];
  check: (csv: ClusterServiceVersion, world: CsvWorld) => ComponentProblem | undefined;
}>;

const nothing = () => undefined;

/**
 * The parts in the order of installation: certificates before the pods that serve with them, pods before
 * their callers (spec: csv-lifecycle.md §5).
 */
const INSTALL_COMPONENTS: readonly InstallComponent[] = [
  { name: 'serving', refusal: servingRefusal, install: installServing, check: nothing },
  { name: 'deployments', refusal: nothing, install: installDeployments, check: checkDeployments },
  { name: 'apiServices', refusal: nothing, install: installApiServices, check: checkApiServices },
  { name: 'admissionWebhooks', refusal: nothing, install: installAdmissionWebhooks, check: checkAdmissionWebhooks },
  { name: 'conversions', refusal: conversionRefusal, install: installConversions, check: checkConversions },
];

/** The first part that cannot be installed, and why. */
export function refusalOf(
  csv: ClusterServiceVersion,
  world: CsvWorld,
): Readonly<{ component: InstallComponent; message: string }> | undefined {
  for (const component of INSTALL_COMPONENTS) {
    const message = component.refusal(csv, world);
    if (message !== undefined) return { component, message };
  }
  return undefined;
}

/**
 * Returns the actions that install the operator. As in OLM, they end before the first part that cannot be
 * installed.
 */
export function installActions(csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] {
  const refused = refusalOf(csv, world)?.component;
  const end = refused === undefined ? INSTALL_COMPONENTS.length : INSTALL_COMPONENTS.indexOf(refused);
  return INSTALL_COMPONENTS.slice(0, end).flatMap(({ install }) => install(csv, world));
}

/** The problem of the installed operator that decides, or undefined when it is healthy. */
export const healthProblem = (csv: ClusterServiceVersion, world: CsvWorld): ComponentProblem | undefined =>
  firstProblem(INSTALL_COMPONENTS.flatMap(({ check }) => check(csv, world) ?? []));
