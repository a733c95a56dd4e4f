import type { Action } from '../actions/action.js';
import type { ClusterServiceVersion } from '../api/cluster-service-version.js';
import { checkDeployments } from './check-deployments.js';
import type { ComponentProblem } from './component-problem.js';
import { ownedApiServices } from './csv-facts.js';
import type { CsvWorld } from './csv-world.js';
import { installDeployments } from './install-deployments.js';

/** One kind of thing that an operator consists of. */
export type InstallComponent = Readonly<{
  name: string;
  /** Why this part of the CSV cannot be installed at all, said before anything is. */
  refusal: (csv: ClusterServiceVersion) => string | undefined;
  install: (csv: ClusterServiceVersion, world: CsvWorld) => readonly Action[];
  check: (csv: ClusterServiceVersion, world: CsvWorld) => ComponentProblem | undefined;
}>;

const deployments: InstallComponent = {
  name: 'deployments',
  refusal: () => undefined,
  install: installDeployments,
  check: checkDeployments,
};

const apiServices: InstallComponent = {
  name: 'apiServices',
  refusal: (csv) => {
    const names = ownedApiServices(csv).map(({ version, group }) => `${version}.${group}`);
    return names.length === 0 ? undefined : `owned APIServices are not supported yet: ${names.join(', ')}`;
  },
  install: () => [],
  check: () => undefined,
};

const webhooks: InstallComponent = {
  name: 'webhooks',
  refusal: (csv) => {
    const names = (csv.spec.webhookdefinitions ?? []).map(({ generateName }) => generateName);
    return names.length === 0 ? undefined : `webhooks are not supported yet: ${names.join(', ')}`;
  },
  install: () => [],
  check: () => undefined,
};

/** In the order in which they are installed; the first problem found decides (§5). */
export const INSTALL_COMPONENTS: readonly InstallComponent[] = [deployments, apiServices, webhooks];

/** Why this CSV cannot be installed by this version at all, or undefined. */
export const refusalOf = (csv: ClusterServiceVersion): string | undefined =>
  INSTALL_COMPONENTS.map(({ refusal }) => refusal(csv)).find((text) => text !== undefined);

export const installActions = (csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] =>
  INSTALL_COMPONENTS.flatMap(({ install }) => install(csv, world));

/** The first problem of the installed operator, or undefined when it is healthy. */
export const healthProblem = (csv: ClusterServiceVersion, world: CsvWorld): ComponentProblem | undefined =>
  INSTALL_COMPONENTS.map(({ check }) => check(csv, world)).find((problem) => problem !== undefined);
