/**
 * The types of Kubernetes' core API that may occur in a deploymentConfig: a name, and its fields with their
 * types. A `!` marks a required field, `[T]` a list, `{T}` a map. A type without a line of its own takes any
 * object. Fields that are not named here are accepted, as by the API's own schema. Source: the OpenAPI
 * document of Kubernetes 1.34.
 */
export const CORE_TYPES = `
AWSElasticBlockStoreVolumeSource fsType:string partition:integer readOnly:boolean volumeID!:string
Affinity nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
AzureDiskVolumeSource
  cachingMode:string diskName!:string diskURI!:string fsType:string kind:string readOnly:boolean
AzureFileVolumeSource readOnly:boolean secretName!:string shareName!:string
CSIVolumeSource driver!:string fsType:string nodePublishSecretRef:LocalObjectReference readOnly:boolean
  volumeAttributes:{string}
CephFSVolumeSource
  monitors!:[string] path:string readOnly:boolean secretFile:string secretRef:LocalObjectReference
  user:string
CinderVolumeSource fsType:string readOnly:boolean secretRef:LocalObjectReference volumeID!:string
ClusterTrustBundleProjection
  labelSelector:LabelSelector name:string optional:boolean path!:string signerName:string
ConfigMapEnvSource name:string optional:boolean
ConfigMapKeySelector key!:string name:string optional:boolean
ConfigMapProjection items:[KeyToPath] name:string optional:boolean
ConfigMapVolumeSource defaultMode:integer items:[KeyToPath] name:string optional:boolean
DownwardAPIProjection items:[DownwardAPIVolumeFile]
DownwardAPIVolumeFile
  fieldRef:ObjectFieldSelector mode:integer path!:string resourceFieldRef:ResourceFieldSelector
DownwardAPIVolumeSource defaultMode:integer items:[DownwardAPIVolumeFile]
EmptyDirVolumeSource medium:string sizeLimit:Quantity
EnvFromSource configMapRef:ConfigMapEnvSource prefix:string secretRef:SecretEnvSource
EnvVar name!:string value:string valueFrom:EnvVarSource
EnvVarSource configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:FileKeySelector
  resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate
FCVolumeSource fsType:string lun:integer readOnly:boolean targetWWNs:[string] wwids:[string]
FileKeySelector key!:string optional:boolean path!:string volumeName!:string
FlexVolumeSource driver!:string fsType:string options:{string} readOnly:boolean secretRef:LocalObjectReference
FlockerVolumeSource datasetName:string datasetUUID:string
GCEPersistentDiskVolumeSource fsType:string partition:integer pdName!:string readOnly:boolean
GitRepoVolumeSource directory:string repository!:string revision:string
GlusterfsVolumeSource endpoints!:string path!:string readOnly:boolean
HostPathVolumeSource path!:string type:string
ISCSIVolumeSource
  chapAuthDiscovery:boolean chapAuthSession:boolean fsType:string initiatorName:string iqn!:string
  iscsiInterface:string lun!:integer portals:[string] readOnly:boolean
  secretRef:LocalObjectReference targetPortal!:string
ImageVolumeSource pullPolicy:string reference:string
KeyToPath key!:string mode:integer path!:string
LabelSelector matchExpressions:[LabelSelectorRequirement] matchLabels:{string}
LabelSelectorRequirement key!:string operator!:string values:[string]
LocalObjectReference name:string
NFSVolumeSource path!:string readOnly:boolean server!:string
NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm]
  requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
NodeSelector nodeSelectorTerms!:[NodeSelectorTerm]
NodeSelectorRequirement key!:string operator!:string values:[string]
NodeSelectorTerm matchExpressions:[NodeSelectorRequirement] matchFields:[NodeSelectorRequirement]
ObjectFieldSelector apiVersion:string fieldPath!:string
PersistentVolumeClaimSpec
  accessModes:[string] dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference
  resources:VolumeResourceRequirements selector:LabelSelector storageClassName:string
  volumeAttributesClassName:string volumeMode:string volumeName:string
PersistentVolumeClaimTemplate metadata:ObjectMeta spec!:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource claimName!:string readOnly:boolean
PhotonPersistentDiskVolumeSource fsType:string pdID!:string
PodAffinity preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
  requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
PodAffinityTerm labelSelector:LabelSelector matchLabelKeys:[string] mismatchLabelKeys:[string]
  namespaceSelector:LabelSelector namespaces:[string] topologyKey!:string
PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
  requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
PodCertificateProjection
  certificateChainPath:string credentialBundlePath:string keyPath:string keyType!:string
  maxExpirationSeconds:integer signerName!:string
PortworxVolumeSource fsType:string readOnly:boolean volumeID!:string
PreferredSchedulingTerm preference!:NodeSelectorTerm weight!:integer
ProjectedVolumeSource defaultMode:integer sources:[VolumeProjection]
QuobyteVolumeSource group:string readOnly:boolean registry!:string tenant:string user:string volume!:string
RBDVolumeSource fsType:string image!:string keyring:string monitors!:[string] pool:string readOnly:boolean
  secretRef:LocalObjectReference user:string
ResourceClaim name!:string request:string
ResourceFieldSelector containerName:string divisor:Quantity resource!:string
ResourceRequirements claims:[ResourceClaim] limits:{Quantity} requests:{Quantity}
ScaleIOVolumeSource fsType:string gateway!:string protectionDomain:string readOnly:boolean
  secretRef!:LocalObjectReference sslEnabled:boolean storageMode:string storagePool:string
  system!:string volumeName:string
SecretEnvSource name:string optional:boolean
SecretKeySelector key!:string name:string optional:boolean
SecretProjection items:[KeyToPath] name:string optional:boolean
SecretVolumeSource defaultMode:integer items:[KeyToPath] optional:boolean secretName:string
ServiceAccountTokenProjection audience:string expirationSeconds:integer path!:string
StorageOSVolumeSource fsType:string readOnly:boolean secretRef:LocalObjectReference volumeName:string
  volumeNamespace:string
Toleration effect:string key:string operator:string tolerationSeconds:integer value:string
TypedLocalObjectReference apiGroup:string kind!:string name!:string
TypedObjectReference apiGroup:string kind!:string name!:string namespace:string
Volume awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource
  azureFile:AzureFileVolumeSource cephfs:CephFSVolumeSource cinder:CinderVolumeSource
  configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource
  emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:FCVolumeSource
  flexVolume:FlexVolumeSource flocker:FlockerVolumeSource
  gcePersistentDisk:GCEPersistentDiskVolumeSource gitRepo:GitRepoVolumeSource
  glusterfs:GlusterfsVolumeSource hostPath:HostPathVolumeSource image:ImageVolumeSource
  iscsi:ISCSIVolumeSource name!:string nfs:NFSVolumeSource
  persistentVolumeClaim:PersistentVolumeClaimVolumeSource
  photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource
  projected:ProjectedVolumeSource quobyte:QuobyteVolumeSource rbd:RBDVolumeSource
  scaleIO:ScaleIOVolumeSource secret:SecretVolumeSource storageos:StorageOSVolumeSource
  vsphereVolume:VsphereVirtualDiskVolumeSource
VolumeMount mountPath!:string mountPropagation:string name!:string readOnly:boolean recursiveReadOnly:string
  subPath:string subPathExpr:string
VolumeProjection clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection
  downwardAPI:DownwardAPIProjection podCertificate:PodCertificateProjection
  secret:SecretProjection serviceAccountToken:ServiceAccountTokenProjection
VolumeResourceRequirements limits:{Quantity} requests:{Quantity}
VsphereVirtualDiskVolumeSource
  fsType:string storagePolicyID:string storagePolicyName:string volumePath!:string
WeightedPodAffinityTerm podAffinityTerm!:PodAffinityTerm weight!:integer
`;
