import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { pushImage } from '#platform/registry/image-push';
import { type ImageRegistry, startImageRegistry } from '#testing/registry/image-registry';
import type { EnvironmentRegistry } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';

export type RunningRegistry = EnvironmentRegistry & ImageRegistry;

/** The registry that most people run, pushed to over HTTP, for an environment. */
export async function startRealRegistry(): Promise<RunningRegistry> {
  const registry = await startImageRegistry();
  const client = new HttpRegistryClient();
  return { ...registry, put: (reference, image) => pushImage(client, `${registry.host}/${reference}`, image) };
}
