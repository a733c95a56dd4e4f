import { CodeBlock } from './copy.js';
import { Empty } from './states.js';

/** The first page of a new hub: how clusters are added. */
export const NoCluster = () => (
  <Empty title="No cluster belongs to this hub yet.">
    <p>Its clusters appear here within seconds after they were added. Add the clusters of a kubeconfig file:</p>
    <CodeBlock label="Command" text="flotilla clusters add --kubeconfig ~/.kube/config" />
    <p>Or mount a folder of kubeconfig files and name it to the services:</p>
    <CodeBlock label="Setting" text="FLOTILLA_KUBECONFIGS=/clusters" />
  </Empty>
);
