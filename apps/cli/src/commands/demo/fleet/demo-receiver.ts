import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KIND } from '#core/kernel/api/kinds';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { visibleText } from '#core/kernel/text/visible-text';
import { RECEIVER_SECRET } from '#core/rollout/notifications/receiver-login';

/** A receiver of notifications on this machine. */
export type DemoReceiver = Readonly<{
  /** Host and port, for the setting of allowed hosts. */
  host: string;
  /** All messages so far, as text. */
  messages: readonly string[];
  /** Calls the listener with each further message. */
  onMessage: (listener: (text: string) => void) => void;
  stop: () => Promise<void>;
}>;

const MOST_BYTES = 1_000_000;
const Body = z.looseObject({
  blocks: z.array(z.looseObject({ text: z.looseObject({ text: z.string() }) })).min(1),
});

/** Starts a receiver in the place of Slack. It shows the messages that Slack would show. */
export async function startDemoReceiver(): Promise<DemoReceiver> {
  const messages: string[] = [];
  let listener: (text: string) => void = () => undefined;
  const server = createServer((request, response) => {
    void readMessage(request).then((text) => {
      if (text !== undefined) {
        messages.push(text);
        listener(text);
      }
      response.writeHead(text === undefined ? 400 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    messages,
    onMessage: (next) => {
      listener = next;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readMessage(request: IncomingMessage): Promise<string | undefined> {
  try {
    let text = '';
    for await (const chunk of request) {
      text += String(chunk);
      if (text.length > MOST_BYTES) return undefined;
    }
    const body = Body.safeParse(JSON.parse(text)).data;
    return body && visibleText(body.blocks.map((block) => block.text.text).join('\n'));
  } catch {
    return undefined;
  }
}

const RECEIVERS = 'flotilla-receivers';

/** Returns the objects that send messages about rollouts to the receiver of the demo. */
export const receiverObjects = (host: string): readonly KubernetesObject[] => {
  const secretRef = { name: 'chat', namespace: RECEIVERS };
  const url = Buffer.from(`http://${host}/services/demo`).toString('base64');
  return [
    { ...KIND.Namespace, metadata: { name: RECEIVERS } },
    { ...KIND.Secret, metadata: secretRef, type: RECEIVER_SECRET, data: { url } },
    {
      apiVersion: FLEET_API,
      kind: 'FleetNotification',
      metadata: { name: 'on-call' },
      spec: {
        events: ['WaitsForApproval', 'GateRed', 'RolledBack', 'Completed'],
        receivers: [{ name: 'chat', type: 'Slack', secretRef }],
        group: { wait: '1s', interval: '5s' },
      },
    },
  ].map((object) => KubernetesObject.parse(object));
};
