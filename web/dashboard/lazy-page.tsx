/** A page that is fetched when it is shown for the first time. */
import type { ComponentType } from 'preact';
import { Fault, Loading } from './components.tsx';
import { useLoaded } from './loaded.ts';

export function lazyPage<Props extends object>(what: string, load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return function Lazy(props: Props) {
    const page = useLoaded(load, []);
    if (page.fault !== undefined) return <Fault fault={page.fault} onRetry={page.reload} />;
    if (!page.value) return <Loading what={what} />;
    return <page.value {...props} />;
  };
}
