#!/bin/sh
# Makes the certificates of a tunnel to a cluster behind NAT (docs/behind-nat.md):
#   certificates.sh FOLDER CLUSTER HOST
# HOST: the name or address under which the cluster reaches the hub. FOLDER gets one authority of all tunnels (ca.crt), and below
# FOLDER/CLUSTER the certificate of the server, and an authority and a certificate of the agents of this cluster alone.
set -eu
[ $# -eq 3 ] || { echo "usage: $0 FOLDER CLUSTER HOST" >&2; exit 2; }
folder=$1 cluster=$2 host=$3
case $cluster in
  '' | *[!a-z0-9-]*) echo "CLUSTER may have small letters, digits and hyphens: $cluster" >&2; exit 2 ;;
esac
case $host in
  '' | *[!A-Za-z0-9.:-]*) echo "HOST is no name or address: $host" >&2; exit 2 ;;
  *[!0-9.]*) case $host in *:*) san="IP:$host" ;; *) san="DNS:$host" ;; esac ;;
  *) san="IP:$host" ;;
esac
days=${DAYS:-825}
umask 077
mkdir -p "$folder/$cluster"

authority() { # FILE NAME
  [ -s "$1.key" ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -days 3650 -subj "/CN=$2" \
    -keyout "$1.key" -out "$1.crt" 2>/dev/null
}
certificate() { # FILE NAME AUTHORITY EXTENSIONS
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$2" -keyout "$1.key" -out "$1.csr" 2>/dev/null
  printf '%s\n' "$4" > "$1.ext"
  openssl x509 -req -sha256 -in "$1.csr" -CA "$3.crt" -CAkey "$3.key" -CAcreateserial -days "$days" -extfile "$1.ext" -out "$1.crt" 2>/dev/null
  rm "$1.csr" "$1.ext"
}

authority "$folder/ca" flotilla-tunnels
authority "$folder/$cluster/agent-ca" "flotilla-tunnel-$cluster"
service="tunnel-$cluster"
certificate "$folder/$cluster/server" "$service" "$folder/ca" "subjectAltName=DNS:$service,DNS:$service.flotilla.svc,$san
extendedKeyUsage=serverAuth"
certificate "$folder/$cluster/agent" "agent-$cluster" "$folder/$cluster/agent-ca" "extendedKeyUsage=clientAuth"
