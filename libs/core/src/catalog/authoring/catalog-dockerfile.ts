import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';

/** Image that opm's own Dockerfiles build on. */
export const OPM_IMAGE = 'quay.io/operator-framework/opm:latest';

/** Parts of a catalog's Dockerfile. */
export type DockerfileParts = Readonly<{
  /** Name of the catalog's directory next to the Dockerfile. */
  directory: string;
  builderImage: string;
  /** `scratch` makes an image without `opm`. OLM serves such an image with its own `opm`. */
  baseImage: string;
  labels: ReadonlyMap<string, string>;
}>;

/**
 * Returns the Dockerfile of a catalog, as `opm generate dockerfile` writes it (spec: file-based-catalogs.md
 * §7).
 */
export function catalogDockerfile({ directory, builderImage, baseImage, labels }: DockerfileParts): string {
  return `# The builder image is expected to contain
# /bin/opm (with serve subcommand)
FROM ${builderImage} as builder

# Copy FBC root into image at /configs and pre-populate serve cache
ADD ${directory} /configs
RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]

FROM ${baseImage}
${baseImage === 'scratch' ? WITHOUT_OPM : WITH_OPM}

COPY --from=builder /configs /configs
COPY --from=builder /tmp/cache /tmp/cache

# Set FBC-specific label for the location of the FBC root directory
# in the image
LABEL operators.operatorframework.io.index.configs.v1=/configs
${extraLabels(labels)}`;
}

const WITH_OPM = `# The base image is expected to contain
# /bin/opm (with serve subcommand) and /bin/grpc_health_probe

# Configure the entrypoint and command
ENTRYPOINT ["/bin/opm"]
CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]`;

const WITHOUT_OPM = `# OLMv0 CatalogSources that use binary-less images must set:
# spec:
#   grpcPodConfig:
#     extractContent:
#       catalogDir: /configs
#       cacheDir: /tmp/cache`;

function extraLabels(labels: ReadonlyMap<string, string>): string {
  const lines = [...labels].sort(([a], [b]) => byCodeUnit(a, b)).map(([key, value]) => `LABEL "${key}"="${value}"\n`);
  return lines.length === 0 ? '' : `\n# Set other custom labels\n${lines.join('')}`;
}
