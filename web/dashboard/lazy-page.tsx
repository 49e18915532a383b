/** A page that is fetched when it is shown for the first time. */
import type { ComponentType } from 'preact';
import { ErrorMessage, Loading } from './components.tsx';
import { useLoaded } from './loaded.ts';

export function lazyPage<Props extends object>(what: string, load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return function Lazy(props: Props) {
    const page = useLoaded(load, []);
    if (page.error !== undefined) return <ErrorMessage error={page.error} onRetry={page.reload} />;
    if (!page.value) return <Loading what={what} />;
    return <page.value {...props} />;
  };
}
