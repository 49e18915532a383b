/** The scopes of API keys, and checks of whether scopes include others. */

export const SCOPES = ['render', 'documents', 'templates', 'certificates', 'webhooks', 'account', 'keys'] as const;
export type Scope = (typeof SCOPES)[number];
/** Null for full access, which includes operations without a scope. */
export type Scopes = readonly Scope[] | null;

export function includesScope(scopes: Scopes, scope: Scope | undefined): boolean {
  return scopes === null || (scope !== undefined && scopes.includes(scope));
}

/** The scopes of `wanted` that `own` does not include; all scopes if full access is wanted but not included. */
export function missingScopes(own: Scopes, wanted: Scopes): readonly Scope[] {
  return (wanted ?? SCOPES).filter((scope) => own !== null && (wanted === null || !own.includes(scope)));
}
