import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { assembleImage, blob } from '#platform/registry/image-builder';

export type StallingRegistry = Readonly<{
  host: string;
  /** Layers that are being sent and never end. */
  open: () => number;
  /** Layers that were asked for so far. */
  asked: () => number;
  stop: () => Promise<void>;
}>;

/** A registry with images that are valid up to the layer. Only a part of the layer is ever sent. */
export async function startStallingRegistry(layerBytes: Uint8Array, sentBytes: number): Promise<StallingRegistry> {
  const layer = blob('application/vnd.oci.image.layer.v1.tar', layerBytes);
  const { manifest, config } = assembleImage([{ layer, diffId: layer.digest }], { [CATALOG_LABEL]: '/configs' });
  const open = new Set<ServerResponse>();
  let asked = 0;
  const server = createServer((request, response) => {
    if (request.url?.includes('/manifests/')) {
      response.writeHead(200, {
        'content-type': manifest.mediaType,
        'content-length': manifest.bytes.length,
        'docker-content-digest': manifest.digest,
      });
      response.end(request.method === 'HEAD' ? undefined : manifest.bytes);
    } else if (request.url?.endsWith(config.digest)) {
      response.writeHead(200, { 'content-length': config.bytes.length });
      response.end(config.bytes);
    } else {
      asked += 1;
      open.add(response);
      response.on('close', () => open.delete(response));
      response.writeHead(200, { 'content-length': layerBytes.length });
      response.write(layerBytes.subarray(0, sentBytes));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { host: `127.0.0.1:${port}`, open: () => open.size, asked: () => asked, stop };
}
