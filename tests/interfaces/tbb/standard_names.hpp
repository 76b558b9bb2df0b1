// One name of each standard header, and of each of oneTBB's, that the including file says a header of oneTBB's interface
// includes. By design it includes none itself, and several files include it.
//
// A type is made complete, so that no declaration ahead is enough.
namespace {
#ifdef USES_ALGORITHM
using kept_algorithm = decltype(std::max(0, 1));
#endif
#ifdef USES_ARRAY
using kept_array = std::array<int, 2>;
static_assert(sizeof(kept_array) != 0);
#endif
#ifdef USES_ATOMIC
using kept_atomic = std::atomic<int>;
static_assert(sizeof(kept_atomic) != 0);
#endif
#ifdef USES_CHRONO
using kept_chrono = std::chrono::steady_clock::time_point;
static_assert(sizeof(kept_chrono) != 0);
#endif
#ifdef USES_CLIMITS
inline constexpr int kept_climits = INT_MAX;
#endif
#ifdef USES_COMPARE
using kept_compare = std::strong_ordering;
static_assert(sizeof(kept_compare) != 0);
#endif
#ifdef USES_CONCEPTS
inline constexpr bool kept_concepts = std::integral<int>;
#endif
#ifdef USES_CSTDDEF
using kept_cstddef = std::max_align_t;
static_assert(sizeof(kept_cstddef) != 0);
#endif
#ifdef USES_CSTDINT
using kept_cstdint = std::uint64_t;
static_assert(sizeof(kept_cstdint) != 0);
#endif
#ifdef USES_CSTDLIB
using kept_cstdlib = std::div_t;
static_assert(sizeof(kept_cstdlib) != 0);
#endif
#ifdef USES_CSTRING
using kept_cstring = decltype(std::strlen(""));
#endif
#ifdef USES_EXCEPTION
using kept_exception = std::exception_ptr;
static_assert(sizeof(kept_exception) != 0);
#endif
#ifdef USES_FUNCTIONAL
using kept_functional = std::function<void()>;
static_assert(sizeof(kept_functional) != 0);
#endif
#ifdef USES_INITIALIZER_LIST
using kept_initializer_list = std::initializer_list<int>;
static_assert(sizeof(kept_initializer_list) != 0);
#endif
#ifdef USES_ITERATOR
using kept_iterator = std::reverse_iterator<int*>;
static_assert(sizeof(kept_iterator) != 0);
#endif
#ifdef USES_LIST
using kept_list = std::list<int>;
static_assert(sizeof(kept_list) != 0);
#endif
#ifdef USES_MEMORY
using kept_memory = std::shared_ptr<int>;
static_assert(sizeof(kept_memory) != 0);
#endif
#ifdef USES_MEMORY_RESOURCE
using kept_memory_resource = std::pmr::memory_resource;
static_assert(sizeof(kept_memory_resource) != 0);
#endif
#ifdef USES_MUTEX
using kept_mutex = std::unique_lock<std::mutex>;
static_assert(sizeof(kept_mutex) != 0);
#endif
#ifdef USES_NEW
using kept_new = std::bad_alloc;
static_assert(sizeof(kept_new) != 0);
#endif
#ifdef USES_QUEUE
using kept_queue = std::queue<int>;
static_assert(sizeof(kept_queue) != 0);
#endif
#ifdef USES_RANDOM
using kept_random = std::minstd_rand;
static_assert(sizeof(kept_random) != 0);
#endif
#ifdef USES_STDEXCEPT
using kept_stdexcept = std::runtime_error;
static_assert(sizeof(kept_stdexcept) != 0);
#endif
#ifdef USES_STRING
using kept_string = std::string;
static_assert(sizeof(kept_string) != 0);
#endif
#ifdef USES_THREAD
using kept_thread = std::thread;
static_assert(sizeof(kept_thread) != 0);
#endif
#ifdef USES_TUPLE
using kept_tuple = std::tuple<int, int>;
static_assert(sizeof(kept_tuple) != 0);
#endif
#ifdef USES_TYPE_TRAITS
using kept_type_traits = std::is_void<int>;
static_assert(sizeof(kept_type_traits) != 0);
#endif
#ifdef USES_UTILITY
using kept_utility = std::pair<int, int>;
static_assert(sizeof(kept_utility) != 0);
#endif
#ifdef USES_VECTOR
using kept_vector = std::vector<int>;
static_assert(sizeof(kept_vector) != 0);
#endif
#ifdef USES_TBB_BLOCKED_RANGE
using kept_tbb_blocked_range = tbb::blocked_range<int>;
static_assert(sizeof(kept_tbb_blocked_range) != 0);
#endif
#ifdef USES_TBB_CACHE_ALIGNED_ALLOCATOR
using kept_tbb_cache_aligned_allocator = tbb::cache_aligned_allocator<int>;
static_assert(sizeof(kept_tbb_cache_aligned_allocator) != 0);
#endif
#ifdef USES_TBB_ENUMERABLE_THREAD_SPECIFIC
using kept_tbb_enumerable_thread_specific = tbb::enumerable_thread_specific<int>;
static_assert(sizeof(kept_tbb_enumerable_thread_specific) != 0);
#endif
#ifdef USES_TBB_INFO
using kept_tbb_info = decltype(tbb::info::default_concurrency());
#endif
#ifdef USES_TBB_PARALLEL_FOR
using kept_tbb_parallel_for = decltype(tbb::parallel_for(0, 1, [](int) {}));
#endif
#ifdef USES_TBB_PARTITIONER
using kept_tbb_partitioner = tbb::auto_partitioner;
static_assert(sizeof(kept_tbb_partitioner) != 0);
#endif
#ifdef USES_TBB_TASK
using kept_tbb_task = tbb::task::suspend_point;
static_assert(sizeof(kept_tbb_task) != 0);
#endif
#ifdef USES_TBB_TASK_ARENA
using kept_tbb_task_arena = tbb::task_arena;
static_assert(sizeof(kept_tbb_task_arena) != 0);
#endif
#ifdef USES_TBB_TASK_GROUP
[[maybe_unused]] inline void kept_tbb_assert() { __TBB_ASSERT(1 + 1 == 2, "oneTBB's own macro"); }
using kept_tbb_task_group = tbb::task_group;
static_assert(sizeof(kept_tbb_task_group) != 0);
#endif
#ifdef USES_TBB_TBB_ALLOCATOR
using kept_tbb_tbb_allocator = tbb::tbb_allocator<int>;
static_assert(sizeof(kept_tbb_tbb_allocator) != 0);
#endif
#ifdef USES_TBB_VERSION
inline constexpr int kept_tbb_version = TBB_VERSION_MAJOR;
#endif
}  // namespace
