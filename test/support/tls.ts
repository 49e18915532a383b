/**
 * A self-signed certificate for hooks.private.test and its key, for test servers only. Created by `openssl req -x509 -newkey ec
 * -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=hooks.private.test -addext
 * subjectAltName=DNS:hooks.private.test`.
 */

export const TLS = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBrzCCAVagAwIBAgIUZ3KIMrEw1aTr9Of5UOwjeGG3Q1MwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSaG9va3MucHJpdmF0ZS50ZXN0MCAXDTI2MTEyMTIwNDcxMloY
DzIxMjYxMDI4MjA0NzEyWjAdMRswGQYDVQQDDBJob29rcy5wcml2YXRlLnRlc3Qw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARE7oGi5/L1lsvZMF/fYyh0EXnWfU/i
JuV9DexM4T7X2Z4OGnHdZh4j7Rm/zaY2Mr3AIqDohEkI3Mf7vtpTEhwGo3IwcDAd
BgNVHQ4EFgQUevpDIfRQjf3FO13UsEBz5Dky+KEwHwYDVR0jBBgwFoAUevpDIfRQ
jf3FO13UsEBz5Dky+KEwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHREEFjAUghJob29r
cy5wcml2YXRlLnRlc3QwCgYIKoZIzj0EAwIDRwAwRAIgE2vYFvZiYDqnaKhJneEB
hJoAoW64A+IzAU1DlAAZRpYCIBT4Rc02m/EDA+vA+TZrt1Jn4ryONVjBzfcodKIV
4/xe
-----END CERTIFICATE-----`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggntigwT48KEJ901T
Sy36qz+Sm9QF2CeJqhkad13JKcOhRANCAARE7oGi5/L1lsvZMF/fYyh0EXnWfU/i
JuV9DexM4T7X2Z4OGnHdZh4j7Rm/zaY2Mr3AIqDohEkI3Mf7vtpTEhwG
-----END PRIVATE KEY-----`,
};
