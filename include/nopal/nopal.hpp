// Everything of Nopal in one include.
#ifndef NOPAL_NOPAL_HPP
#define NOPAL_NOPAL_HPP

#include <nopal/arena.hpp>
#include <nopal/nodes.hpp>
#include <nopal/observer.hpp>
#include <nopal/parallel.hpp>
#include <nopal/profile.hpp>
#include <nopal/reducer.hpp>
#include <nopal/runtime.hpp>
#include <nopal/scope.hpp>
#include <nopal/version.hpp>
#include <nopal/waiting.hpp>

#endif
