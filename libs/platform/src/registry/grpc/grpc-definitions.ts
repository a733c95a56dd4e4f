import { fileURLToPath } from 'node:url';
import { logVerbosity, type ServiceDefinition, setLogVerbosity } from '@grpc/grpc-js';
import { loadSync, type PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';

const proto = (name: string) => fileURLToPath(new URL(`./proto/${name}`, import.meta.url));

/** Absent fields come as empty strings and lists, absent messages as null: the shape of the types in core. */
const OPTIONS = { keepCase: true, longs: String, enums: String, defaults: true, arrays: true } as const;

// Failures reach us as errors; the library's own lines on stderr would report them twice.
if (process.env['GRPC_VERBOSITY'] === undefined) setLogVerbosity(logVerbosity.NONE);

let loaded: PackageDefinition | undefined;
const definitions = (): PackageDefinition => {
  loaded ??= { ...loadSync(proto('registry.proto'), OPTIONS), ...loadSync(proto('health.proto'), OPTIONS) };
  return loaded;
};

/** A service of OLM's registry protocol or of gRPC's health protocol. Files are read at the first use. */
export function serviceDefinition(
  name: 'api.Registry' | 'api.ExperimentalRegistry' | 'grpc.health.v1.Health',
): ServiceDefinition {
  const definition = definitions()[name];
  if (definition === undefined || 'format' in definition) throw new Error(`no service ${name} in the protocol files`);
  return definition;
}

/**
 * Makes the server reflection, by which grpcurl and similar tools find the served methods without the
 * protocol files.
 */
export const reflection = (): ReflectionService => new ReflectionService(definitions());
