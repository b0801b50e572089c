#!/usr/bin/env bash
# Makes the identities of the services: certificates of a private authority, and keys that sign
# calls. Needs openssl 3. The script writes each new file beside the old one and then renames it. So
# a program that reads the file at any time gets a whole file. README.md of this folder says which
# program may read which file.
#
#   DIR/authority/       key and certificate of the newest authority; no service reads them
#   DIR/public/ca.pem         certificates of all trusted authorities
#   DIR/public/service.keys   public keys of all services
#   DIR/SERVICE/tls.pem       certificate and private key of one service
#   DIR/SERVICE/addresses     IP addresses, one a line, which the certificate names too (optional)
#   DIR/SERVICE/signing.keys  private key that signs the calls of one service
set -euo pipefail
umask 077

HELP='identity.sh COMMAND DIR [SERVICE...]

  make DIR SERVICE...              makes what is missing, and certificates that end within 7 days
                                   or lack an address
  certificates DIR SERVICE...      gives each service a new certificate of the newest authority
  authority DIR                    makes a new authority, which is trusted beside the older ones
  retire-authorities DIR           trusts only the newest authority
  signing-keys DIR SERVICE...      makes a new key of each service and publishes its public part
  use-signing-keys DIR SERVICE...  each service signs with its new key
  retire-signing-keys DIR SERVICE...   publishes only the key that the service uses

Environment: TAROT_CERTIFICATE_DAYS (30), TAROT_AUTHORITY_DAYS (730)'

CURVE=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)

die() {
  printf 'identity.sh: %s\n' "$*" >&2
  exit 1
}

# quiet COMMAND...: runs the command, and shows its errors only if it fails.
quiet() {
  local output
  output=$("$@" 2>&1) || die "$* failed: $output"
}

# request ARGUMENT...: runs `openssl req` without the settings of the machine.
request() {
  quiet openssl req -x509 -config <(printf '[req]\ndistinguished_name=dn\n[dn]\n') \
    "${CURVE[@]}" "$@"
}

# publish MODE FILE: puts FILE.new in the place of FILE.
publish() { chmod "$1" "$2.new" && mv -f "$2.new" "$2"; }

make_authority() {
  local folder=$DIR/authority name
  name="tarot authority $(date -u +%Y-%m-%d) $(openssl rand -hex 4)"
  mkdir -p "$folder" "$DIR/public"
  chmod 755 "$DIR/public"
  request -days "${TAROT_AUTHORITY_DAYS:-730}" -subj "/CN=$name" \
    -addext basicConstraints=critical,CA:TRUE,pathlen:0 -addext keyUsage=critical,keyCertSign \
    -addext subjectKeyIdentifier=hash -keyout "$folder/key.pem.new" -out "$folder/cert.pem.new"
  cat "$folder/cert.pem.new" "$DIR/public/ca.pem" >"$DIR/public/ca.pem.new" 2>/dev/null || true
  publish 644 "$DIR/public/ca.pem"
  publish 600 "$folder/key.pem"
  publish 600 "$folder/cert.pem"
}

retire_authorities() {
  cp "$DIR/authority/cert.pem" "$DIR/public/ca.pem.new"
  publish 644 "$DIR/public/ca.pem"
}

# addresses SERVICE: prints the IP addresses that the certificate of the service must name.
addresses() { cat "$DIR/$1/addresses" 2>/dev/null || true; }

make_certificate() {
  local folder=$DIR/$1 address names=DNS:$1.tarot.internal
  mkdir -p "$folder"
  for address in $(addresses "$1"); do names+=,IP:$address; done
  request -CA "$DIR/authority/cert.pem" -CAkey "$DIR/authority/key.pem" \
    -days "${TAROT_CERTIFICATE_DAYS:-30}" -subj "/CN=$1" \
    -addext "subjectAltName=$names" -addext basicConstraints=critical,CA:FALSE \
    -addext keyUsage=critical,digitalSignature -addext extendedKeyUsage=serverAuth,clientAuth \
    -addext authorityKeyIdentifier=keyid -keyout "$folder/key.new" -out "$folder/cert.new"
  cat "$folder/cert.new" "$folder/key.new" >"$folder/tls.pem.new"
  rm "$folder/cert.new" "$folder/key.new"
  publish 600 "$folder/tls.pem"
}

# public_lines FILE: prints the public part of each key in a file of private keys.
public_lines() {
  local service=$1 kid key
  while IFS=: read -r kid key; do
    printf '%s:%s:%s\n' "$service" "$kid" \
      "$(base64 -d <<<"$key" | openssl pkey -inform DER -pubout -outform DER | base64 -w0)"
  done <"$2"
}

make_signing_key() {
  local folder=$DIR/$1 kid
  kid=$1-$(date -u +%Y%m%d)-$(openssl rand -hex 3)
  mkdir -p "$folder"
  printf '%s:%s\n' "$kid" "$(openssl genpkey -algorithm ed25519 -outform DER | base64 -w0)" \
    >"$folder/signing.keys.next"
  { cat "$DIR/public/service.keys" 2>/dev/null || true; } >"$DIR/public/service.keys.new"
  public_lines "$1" "$folder/signing.keys.next" >>"$DIR/public/service.keys.new"
  publish 644 "$DIR/public/service.keys"
}

use_signing_key() {
  local file=$DIR/$1/signing.keys
  [[ -s $file.next ]] || die "$1 has no new signing key; signing-keys makes one"
  mv -f "$file.next" "$file"
}

retire_signing_keys() {
  local keys=$DIR/public/service.keys
  { grep -v "^$1:" "$keys" || true; } >"$keys.new"
  public_lines "$1" "$DIR/$1/signing.keys" >>"$keys.new"
  if [[ -s $DIR/$1/signing.keys.next ]]; then
    public_lines "$1" "$DIR/$1/signing.keys.next" >>"$keys.new"
  fi
  publish 644 "$keys"
}

# good_certificate SERVICE: succeeds if the certificate of the service names all its addresses and
# does not end soon.
good_certificate() {
  local file=$DIR/$1/tls.pem address
  openssl x509 -in "$file" -checkend $((7 * 86400)) -noout >/dev/null 2>&1 || return 1
  for address in $(addresses "$1"); do
    openssl x509 -in "$file" -checkip "$address" -noout | grep -q 'does match' || return 1
  done
}

make_missing() {
  local service
  mkdir -p "$DIR/public" && chmod 755 "$DIR/public"
  [[ -s $DIR/authority/cert.pem ]] || make_authority
  for service; do
    good_certificate "$service" || make_certificate "$service"
    [[ -s $DIR/$service/signing.keys ]] ||
      { make_signing_key "$service" && use_signing_key "$service"; }
  done
}

each() {
  local action=$1 service
  shift
  (($#)) || die "name the services"
  for service; do "$action" "$service"; done
}

main() {
  (($# >= 2)) || { printf '%s\n' "$HELP" && exit 2; }
  local command=$1
  DIR=$2
  shift 2
  mkdir -p "$DIR"
  case $command in
    make) make_missing "$@" ;;
    certificates) each make_certificate "$@" ;;
    authority) make_authority ;;
    retire-authorities) retire_authorities ;;
    signing-keys) each make_signing_key "$@" ;;
    use-signing-keys) each use_signing_key "$@" ;;
    retire-signing-keys) each retire_signing_keys "$@" ;;
    *) die "unknown command '$command'" ;;
  esac
}

main "$@"
