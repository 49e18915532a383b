/** The first line of every page of the application: its title, links to other pages, and what the page adds. */
import type { ComponentChildren } from 'preact';
import { ThemeSwitch } from './theme-switch.tsx';

interface TopBarProps {
  title: ComponentChildren;
  /** The text and path of the link to the other part of the application. */
  other: [text: string, path: string];
  children: ComponentChildren;
}

export function TopBar({ title, other: [text, path], children }: TopBarProps) {
  return (
    <div class="top-bar">
      {title}
      <nav aria-label="Pages of the service">
        <a href={path}>{text}</a>
        <a href="/docs">Docs</a>
      </nav>
      <div class="top-actions">
        {children}
        <ThemeSwitch />
      </div>
    </div>
  );
}
