import { Option } from 'commander';
import { UsageError } from '../terminal/io.js';

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Returns `-n, --namespace`. The option refuses a name that no namespace of Kubernetes can have. */
export function namespaceOption(description: string): Option {
  return new Option('-n, --namespace <namespace>', description).argParser((name: string) => {
    if (NAMESPACE.test(name)) return name;
    const rule = 'lower-case letters, digits and - between them, at most 63 characters';
    throw new UsageError(`invalid --namespace "${name}": the name of a namespace has ${rule}`);
  });
}
