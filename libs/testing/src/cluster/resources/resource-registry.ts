import { builtinResources } from './builtin-resources.js';
import { type ResourceInfo, resourceKey } from './resource-info.js';

/** The resources one cluster serves: the built-in ones, shared by all clusters, and its own custom ones. */
export class ResourceRegistry {
  readonly #custom = new Map<string, ResourceInfo>();

  find(group: string, version: string, resource: string): ResourceInfo | undefined {
    const info = this.byKey(resourceKey(group, resource));
    return info?.versions.includes(version) ? info : undefined;
  }

  byKey(key: string): ResourceInfo | undefined {
    return builtinResources.get(key) ?? this.#custom.get(key);
  }

  byKind(group: string, version: string, kind: string): ResourceInfo | undefined {
    return this.all().find((info) => info.group === group && info.kind === kind && info.versions.includes(version));
  }

  all(): readonly ResourceInfo[] {
    return [...builtinResources.values(), ...this.#custom.values()];
  }

  custom(): readonly ResourceInfo[] {
    return [...this.#custom.values()];
  }

  serve(info: ResourceInfo): void {
    this.#custom.set(resourceKey(info.group, info.resource), info);
  }

  withdraw(key: string): void {
    this.#custom.delete(key);
  }
}

export const keyOfResource = (info: ResourceInfo): string => resourceKey(info.group, info.resource);
