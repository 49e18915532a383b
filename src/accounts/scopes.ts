/** What a key may do: the scopes there are, and whether one key's include another's. */

export const SCOPES = ['render', 'documents', 'templates', 'certificates', 'webhooks', 'account', 'keys'] as const;
export type Scope = (typeof SCOPES)[number];
/** Null for full access, to what has no scope, too. */
export type Scopes = readonly Scope[] | null;

export function includesScope(scopes: Scopes, scope: Scope | undefined): boolean {
  return scopes === null || (scope !== undefined && scopes.includes(scope));
}

/** Those of `wanted` that `own` does not include; all of them where full access is wanted. */
export function missingScopes(own: Scopes, wanted: Scopes): readonly Scope[] {
  return (wanted ?? SCOPES).filter((scope) => own !== null && (wanted === null || !own.includes(scope)));
}
