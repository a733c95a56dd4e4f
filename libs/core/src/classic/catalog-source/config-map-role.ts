/**
 * The role that the poller needs in each namespace with a catalog in a ConfigMap (k8s/base/managed-cluster).
 */
export const CONFIG_MAP_ROLE = 'flotilla:observe-config-maps';
