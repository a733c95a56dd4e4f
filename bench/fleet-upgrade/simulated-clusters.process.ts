import type { ClustersAnswer, ClustersRequest } from './clusters-messages.js';
import { ClustersOfProcess } from './clusters-of-process.js';

/** The process of `SimulatedClusters`: carries out the messages, one after the other. */
const send = (answer: ClustersAnswer) => void process.send?.(answer);
let clusters: ClustersOfProcess | undefined;
let before = Promise.resolve();

async function answered(request: ClustersRequest): Promise<ClustersAnswer> {
  if (request.do === 'start') {
    clusters = await ClustersOfProcess.start(request.clusters, request.bare, send, request.troubled);
    return { kubeconfig: clusters.kubeconfig() };
  }
  if (clusters === undefined) throw new Error('the first message is not "start"');
  switch (request.do) {
    case 'count':
      return { counts: clusters.counts() };
    case 'check':
      return { endState: clusters.endState(request.edition) };
    case 'dump':
      return { objects: clusters.dump() };
    case 'restore':
      await clusters.restore(request.operators, request.objects);
      break;
    case 'trouble':
      await clusters.trouble(request.groups);
      break;
    case 'prepare':
      await clusters.prepare(request.operators, request.image);
      break;
    case 'subscribe':
      await clusters.subscribe(request.approval);
      break;
    case 'offer':
      await clusters.offer(request.image);
      break;
    case 'away':
      clusters.setAway(request.clusters);
      break;
  }
  return { done: true };
}

process.on('disconnect', () => process.exit(0));
process.on('message', (request: ClustersRequest) => {
  before = before.then(async () => send(await answered(request)));
});
