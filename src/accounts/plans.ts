/** The plans an account can be on. */

export const PLANS = ['free', 'starter', 'growth', 'scale'] as const;

export type PlanName = (typeof PLANS)[number];

export const DEFAULT_PLAN: PlanName = 'free';

export function isPlan(name: string): name is PlanName {
  return (PLANS as readonly string[]).includes(name);
}
